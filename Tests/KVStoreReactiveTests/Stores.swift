import KVStoreReactive
import Synchronization
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

/// A store that can be read and refuses every write.
struct RefusingStore: KVStoring {
    private let base: any KVStoring

    init(_ base: any KVStoring) {
        self.base = base
    }

    func storedValue(for name: String) throws -> PropertyListValue? {
        try base.storedValue(for: name)
    }

    func storedValues() throws -> [String: PropertyListValue] {
        try base.storedValues()
    }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        throw KVStoreError(.unwritable, reason: "It always is.", key: name)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        throw KVStoreError(.unwritable, reason: "It always is.")
    }

    func flush() {}

    var feed: (any KVFeed)? { base.feed }
}

/// A store that counts the handlers that observe it.
struct ObservedStore: KVStoring {
    private final class Feed: KVFeed {
        private struct Weak {
            weak var subscription: KVSubscription?
        }

        private let base: any KVFeed
        private let started = Mutex<[Weak]>([])

        init(_ base: any KVFeed) {
            self.base = base
        }

        var observations: Int {
            started.withLock { $0.count { $0.subscription != nil } }
        }

        func subscribe(
            to names: [String]?,
            initial: Bool,
            bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy
        ) -> KVSubscription {
            base.subscribe(to: names, initial: initial, bufferingPolicy: bufferingPolicy)
        }

        func observe(
            _ names: [String]?,
            handler: @escaping @Sendable (KVSubscription.Delivery) -> Void
        ) -> KVSubscription {
            let subscription = base.observe(names, handler: handler)
            started.withLock { $0.append(Weak(subscription: subscription)) }
            return subscription
        }
    }

    private let base: InMemoryKVStore
    private let counted: Feed?

    init(_ base: InMemoryKVStore) {
        self.base = base
        counted = base.feed.map(Feed.init)
    }

    /// How many observations go on.
    var observations: Int { counted?.observations ?? 0 }

    func storedValue(for name: String) -> PropertyListValue? {
        base.storedValue(for: name)
    }

    func storedValues() -> [String: PropertyListValue] {
        base.storedValues()
    }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try base.setStoredValue(value, for: name)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try base.transaction(body)
    }

    func flush() {}

    var feed: (any KVFeed)? { counted }
}
