import KVStoreReactive
import TestSupport

/// The kinds of store beneath a reactive one.
enum StoreKind: String, CaseIterable, Sendable {
    case memory
    case backend
    case unobserved
    case reactive

    func make() -> any KVStoring {
        switch self {
        case .memory: InMemoryKVStore()
        case .backend: BackendKVStore(DictionaryBackend())
        case .unobserved: UnobservedKVStore(InMemoryKVStore())
        case .reactive: ReactiveKVStore(InMemoryKVStore())
        }
    }
}
