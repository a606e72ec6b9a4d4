import CustomBackend
import Foundation
import KVStore
import KVStoreTesting
import Testing

@Suite("LineFileBackend")
final class LineFileBackendTests: Sendable {
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "LineFileBackend-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists]))
    func keepsTheContract(rule: KVContractRule) async throws {
        try await rule.check(overDomains: { [directory] in
            let path = directory.appending(path: "\(UUID()).txt").path(percentEncoded: false)
            return { BackendKVStore(try LineFileBackend(path: path)) }
        })
    }

    @Test func refusesAFileThatIsNotItsOwn() throws {
        let file = directory.appending(path: "other.txt")
        try Data("hello\n".utf8).write(to: file)
        let error = #expect(throws: KVStoreError.self) {
            try LineFileBackend(path: file.path(percentEncoded: false))
        }
        #expect(error?.code == .corrupt)
    }
}
