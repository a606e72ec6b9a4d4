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
    case scoped
    case layered

    /// Opens the store, or for memory a new one.
    func open(in folder: String) throws -> any KVStoring {
        switch self {
        case .memory:
            InMemoryKVStore()
        case .json:
            try JSONFileKVStore(url: URL(filePath: folder).appending(path: "settings.json"))
        case .defaults:
            UserDefaultsKVStore(suiteName: "settings.trial")
        case .scoped:
            try Kind.json.open(in: folder).scoped(to: "trial.")
        case .layered:
            LayeredKVStore(
                InMemoryKVStore(arguments: ["trial", "-unrelated", "1"]),
                try Kind.json.open(in: folder),
                defaults: InMemoryKVStore()
            )
        }
    }

    /// Whether other processes can write the store.
    var isShared: Bool { self != .memory }
}
