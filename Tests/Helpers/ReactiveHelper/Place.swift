import Foundation
import KVStore
import KVStoreUserDefaults

/// What a store keeps its values in.
enum Backend: String {
    case memory
    case jsonFile
    case userDefaults
}

/// Where the stores of one run keep their values.
final class Place: Sendable {
    let backend: Backend
    /// The path of the file, or the name of the suite.
    let path: String
    private let memory = InMemoryKVStore()

    init(backend: Backend, path: String) {
        self.backend = backend
        self.path = path
    }

    /// Opens a store over the place; the one in memory is always the same.
    func open() throws -> any KVStoring {
        switch backend {
        case .memory: memory
        case .jsonFile: try JSONFileKVStore(url: URL(filePath: path))
        case .userDefaults: UserDefaultsKVStore(suiteName: path)
        }
    }
}

/// What all writers count on, and a key that they always set together with it.
enum Keys {
    static let count = KVDefaultKey("race.count", default: 0)
    static let twin = KVDefaultKey("race.twin", default: 0)
}

extension KVStoring {
    /// Counts to a number from wherever the count is; several may do so at once.
    func count(to last: Int) throws {
        var value = 0
        while value < last {
            value = try insisting {
                try transaction { transaction in
                    let value = transaction.get(Keys.count)
                    guard value < last else { return value }
                    try transaction.set(Keys.count, value: value + 1)
                    try transaction.set(Keys.twin, value: value + 1)
                    return value + 1
                }
            }
        }
    }

    /// Repeats a write that gave up because others were busy.
    private func insisting<Result>(_ body: () throws -> Result) throws -> Result {
        while true {
            do {
                return try body()
            } catch let error as KVStoreError where error.code == .busy {}
        }
    }
}
