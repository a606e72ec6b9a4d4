#if !canImport(Darwin)
import Foundation
import KVStore

/// The file of a domain and its backup, for whoever holds the folder's lock.
struct DomainFiles {
    /// The entries of a domain's file.
    struct Contents {
        /// The file, byte for byte.
        let bytes: [UInt8]
        /// The values by key, which is in the spelling of ``Swift/String/normalizedKey``.
        let entries: [String: Any]
    }

    /// What is found under a path.
    enum Finding {
        case absent
        case whole(Contents)
        case damaged(status: FileStatus)
        case unreadable(SystemError)
        case special

        /// Whether `UserDefaults` reads it as it is meant.
        var isFit: Bool { condition == .absent || condition == .whole }

        var condition: DomainGuard.Condition {
            switch self {
            case .absent: .absent
            case .whole: .whole
            case .damaged: .damaged
            case .unreadable: .unreadable
            case .special: .special
            }
        }
    }

    /// The path of the domain's file, after links.
    let main: String
    /// The path of its backup.
    let backup: String
    private let system: any FileSystem

    /// Finds the files of a domain; nothing is touched.
    ///
    /// The link to a file stays a link: it is the target that is replaced, with the backup beside.
    init(name: String, in folder: String, on system: any FileSystem) throws(SystemError) {
        main = try system.resolve("\(folder)/\(name).plist")
        backup = PosixFileSystem.folder(of: main) + "/.\(PosixFileSystem.name(of: main)).kvbackup"
        self.system = system
    }

    // MARK: Looking

    /// What the system says of the domain's file; nil if there is none.
    func status() throws(SystemError) -> FileStatus? {
        do throws(SystemError) {
            return try system.status(at: main)
        } catch  where error.isAbsence {
            return nil
        }
    }

    /// Looks at a file once.
    func look(at path: String) -> Finding {
        do throws(SystemError) {
            // Before opening, because opening a device can have effects.
            guard try system.status(at: path).kind == .file else { return .special }
            let file = try OpenFile(path, .read, on: system)
            let status = try file.status()
            guard status.kind == .file else { return .special }
            let bytes = try file.contents(size: status.size)
            guard let entries = Self.entries(of: bytes) else { return .damaged(status: status) }
            return .whole(Contents(bytes: bytes, entries: entries))
        } catch {
            return error.isAbsence ? .absent : .unreadable(error)
        }
    }

    /// Whether the backup holds just these bytes.
    func isBackup(_ bytes: [UInt8]) -> Bool {
        do throws(SystemError) {
            let file = try OpenFile(backup, .read, on: system)
            let status = try file.status()
            guard status.kind == .file, status.size == bytes.count else { return false }
            return try file.contents(size: status.size) == bytes
        } catch {
            return false
        }
    }

    /// Looks at the domain's file until it is whole, or stays damaged.
    ///
    /// Another program may be in the midst of writing it, for which it takes no lock. Putting a
    /// backup in its place then would send what it writes to a file without a name.
    func lookUntilSettled() -> Finding {
        var previous: FileStatus?
        var repeats = 0
        while true {
            let finding = look(at: main)
            guard case .damaged(let status) = finding else { return finding }
            repeats = status == previous ? repeats + 1 : 0
            if repeats >= 5 { return finding }
            previous = status
            Thread.sleep(forTimeInterval: 0.06)
        }
    }

    /// The entries of a property list with a dictionary at its root; nil for anything else.
    ///
    /// An archiver's reference in the list counts as damage: `UserDefaults` reads every key of such
    /// a domain as absent.
    static func entries(of bytes: [UInt8]) -> [String: Any]? {
        guard !bytes.isEmpty else { return nil }
        do {
            let data = Data(bytes)
            // The pointer, to where the format would be written, is nil.
            let list = try unsafe PropertyListSerialization.propertyList(
                from: data,
                options: [],
                format: nil
            )
            guard let entries = list as? [String: Any] else { return nil }
            // Looked for in the bytes first, because looking at every value costs as much as reading.
            if mentionsReference(bytes), holdsReference(entries) { return nil }
            let isNormal = entries.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
            if isNormal { return entries }
            return Dictionary(
                entries.map { ($0.key.normalizedKey, $0.value) },
                uniquingKeysWith: { $1 }
            )
        } catch {
            return nil
        }
    }

    private static func mentionsReference(_ bytes: [UInt8]) -> Bool {
        let marker = Array("CF$UID".utf8)
        var rest = bytes[...]
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            if dollar >= 2, bytes[(dollar - 2)...].starts(with: marker) { return true }
            rest = rest[(dollar + 1)...]
        }
        return false
    }

    private static func holdsReference(_ object: Any) -> Bool {
        switch object {
        case let elements as [Any]: elements.contains(where: holdsReference)
        case let entries as [String: Any]: entries.values.contains(where: holdsReference)
        default: String(describing: type(of: object)).hasSuffix("KeyedArchiverUID")
        }
    }

    // MARK: Changing

    /// Puts entries in place of what the domain's file and its backup hold, in one step each.
    ///
    /// Both are written in full before the first is replaced, so that a full disk changes nothing.
    func replace(with entries: [String: Any]) throws {
        guard !entries.isEmpty else {
            try removeIfThere(main)
            try removeIfThere(backup)
            return try synchronizeFolder()
        }
        let data = try PropertyListSerialization.data(
            fromPropertyList: entries,
            format: .xml,
            options: 0
        )
        let bytes = Array(data)
        let temporary = try write(bytes, beside: main)
        do {
            // Without waiting for the disk: while the file is whole and durable, a power loss may
            // have the backup, and a killed process leaves it whole.
            let copy = try write(bytes, beside: backup, isDurable: false)
            do {
                try system.rename(temporary, to: main)
                try system.rename(copy, to: backup)
            } catch {
                discard(copy)
                throw error
            }
        } catch {
            discard(temporary)
            throw error
        }
        try synchronizeFolder()
    }

    /// Makes the backup a copy of what the domain's file holds.
    func refreshBackup(_ bytes: [UInt8]) throws(SystemError) {
        let temporary = try write(bytes, beside: backup)
        do throws(SystemError) {
            try system.rename(temporary, to: backup)
        } catch {
            discard(temporary)
            throw error
        }
        try synchronizeFolder()
    }

    /// Removes the backup.
    func dropBackup() throws(SystemError) {
        try removeIfThere(backup)
        try synchronizeFolder()
    }

    /// Gives the domain's file another name.
    ///
    /// - Returns: The new path, or nil if the file was empty and is gone.
    func setAside() throws(SystemError) -> String? {
        if let status = try status(), status.size == 0 {
            try removeIfThere(main)
            return nil
        }
        let path = "\(main).damaged-\(TemporaryFile.randomSuffix())"
        try system.rename(main, to: path)
        return path
    }

    /// Puts the backup in the place of the domain's file, which takes no room on the disk.
    func restoreBackup() throws(SystemError) {
        try system.rename(backup, to: main)
        try synchronizeFolder()
    }

    private func write(
        _ bytes: [UInt8],
        beside path: String,
        isDurable: Bool = true
    ) throws(SystemError) -> String {
        let name = TemporaryFile.name(beside: PosixFileSystem.name(of: path))
        let temporary = PosixFileSystem.folder(of: path) + "/" + name
        let file = try OpenFile(temporary, .createNew, on: system)
        do throws(SystemError) {
            try file.write(bytes)
            if isDurable { try system.synchronize(file.number) }
        } catch {
            discard(temporary)
            throw error
        }
        return temporary
    }

    private func removeIfThere(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try system.remove(path)
        } catch  where error.isAbsence {}
    }

    private func discard(_ path: String) {
        // What cannot be removed is left over; nothing reads it.
        try? system.remove(path)
    }

    private func synchronizeFolder() throws(SystemError) {
        try system.synchronizeDirectory(PosixFileSystem.folder(of: main))
    }
}
#endif
