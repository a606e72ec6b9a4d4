public import Foundation
public import KVStore

extension KVBridge where Value: NSObject & NSSecureCoding {
    /// Stores data in which Foundation's `NSKeyedArchiver` has archived the object.
    ///
    /// ```swift
    /// let color = KVKey<NSColor>("color", bridge: .archived)
    /// ```
    ///
    /// Reading unarchives an object of this class or a subclass, securely; data that is no archive
    /// of one is an error. On Linux every class in the archive must support secure coding, and an
    /// archive whose references are broken is refused before Foundation sees it, because there
    /// Foundation would end the process, as it still does on some archives that are damaged inside
    /// of a collection.
    public static var archived: KVBridge {
        KVBridge { object in
            .data(
                try NSKeyedArchiver.archivedData(
                    withRootObject: object,
                    requiringSecureCoding: true
                )
            )
        } decode: { stored in
            let data = try stored.decode(Data.self)
            guard let object = try unarchived(data) else {
                throw unreadable("The stored data is no archive of \(Value.self).")
            }
            return object
        }
    }

    private static func unarchived(_ data: Data) throws -> Value? {
        #if canImport(Darwin)
        do {
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
        } catch {
            return nil
        }
        #else
        guard let archive = KeyedArchive(data), archive.isSound(as: Value.self) else { return nil }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        // What secure coding refuses ends the process here. The classes were compared already, and
        // an object of another class within is refused by the cast of whoever decodes it.
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        return unarchiver.decodeObject(of: Value.self, forKey: NSKeyedArchiveRootObjectKey)
        #endif
    }
}

extension KVBridge where Value == URL {
    /// Stores a URL in the form in which `UserDefaults.set(_:forKey:)` stores one on Apple platforms.
    ///
    /// A file URL is stored as its path, any other as an archive, so that `url(forKey:)` and
    /// `@AppStorage` read what a key with this bridge wrote, and the key what they wrote. Paths that
    /// begin with `~/`, absolute strings and Foundation's dictionary of `relative` and `base` are
    /// read as well. A path names a folder if it ends with a slash; the file system is not asked.
    ///
    /// Use a key without a bridge where no older program has to read the value: it stores every URL
    /// as its string.
    public static var url: KVBridge {
        KVBridge { url in
            guard url.isFileURL, url.host == nil || url.host == "" else {
                return .data(
                    try NSKeyedArchiver.archivedData(
                        withRootObject: url as NSURL,
                        requiringSecureCoding: true
                    )
                )
            }
            let path = url.path
            return .string(url.hasDirectoryPath && !path.hasSuffix("/") ? path + "/" : path)
        } decode: { stored in
            switch stored {
            case .data(let data):
                guard let url = KeyedArchive(data)?.url else {
                    throw unreadable("The stored data is no archive of a URL.")
                }
                return url
            case .string(let text) where text.hasPrefix("/") || text.hasPrefix("~/"):
                let path = NSString(string: text).expandingTildeInPath
                return URL(fileURLWithPath: path, isDirectory: text.hasSuffix("/"))
            default:
                return try stored.decode(URL.self)
            }
        }
    }
}
