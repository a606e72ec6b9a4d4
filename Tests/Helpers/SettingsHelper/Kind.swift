import Foundation
import KVStoreReactive
import KVStoreUserDefaults

/// A kind of store that settings are kept in.
///
/// A new kind needs a case here and its name in the test.
enum Kind: String {
    case memory
    case json
    case defaults

    /// Opens the store, or for memory a new one.
    func open(in folder: String) throws -> any KVStoring {
        switch self {
        case .memory:
            InMemoryKVStore()
        case .json:
            try JSONFileKVStore(url: URL(filePath: folder).appending(path: "settings.json"))
        case .defaults:
            UserDefaultsKVStore(suiteName: "settings.trial")
        }
    }

    /// Whether other processes can write the store.
    var isShared: Bool { self != .memory }
}
