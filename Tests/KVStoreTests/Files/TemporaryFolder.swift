import Foundation

/// A folder of a test's own, removed with its last reference.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "KVStoreTests-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The address of a file in the folder.
    func file(_ name: String = "settings.json") -> URL {
        url.appending(path: name)
    }

    /// Writes a file as an editor that saves in place does.
    @discardableResult
    func write(_ text: String, to name: String = "settings.json") throws -> URL {
        try Data(text.utf8).write(to: file(name))
        return file(name)
    }

    func text(of name: String = "settings.json") throws -> String {
        try String(contentsOf: file(name), encoding: .utf8)
    }

    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: url.path))
    }

    func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
