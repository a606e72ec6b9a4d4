import Foundation

/// A folder of the test's own, removed with the last reference to it.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "kvstore-contract-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func newFile() -> URL {
        url.appending(path: "\(UUID()).json")
    }
}
