@_exported public import KVStore  // A file that observes also declares keys and injects stores.

/// A view on a store that broadcasts every change as asynchronous streams.
///
/// ```swift
/// let store = ReactiveKVStore(UserDefaultsKVStore())
/// try store.set(Keys.theme, value: .dark)
/// for await theme in store.stream(Keys.theme) { apply(theme ?? .system) }
/// ```
///
/// Reading and writing are synchronous and can be done from anywhere, as on the store beneath; the
/// actor isolates nothing but the queue of asynchronous updates. It is a ``KVStoring`` itself, so it
/// can be injected wherever a store is expected.
///
/// **Which changes.** Streams report the changes to the store's domain whoever made them: through
/// this object, through the store beneath or through another store over the same domain. If the
/// store beneath does not observe (its ``KVStoring/feed`` is nil), streams report the writes that
/// are made through this object, and two reactive stores over it do not see each other's. In the body
/// of a transaction, a write to such a store beneath is not recognised as one from inside the body: it
/// is a write like any other, and the body runs again if it has read what was changed.
///
/// **Lifetime.** A stream ends when its consumer does, when its task is cancelled, or when the last
/// store over the domain is gone. The reactive store itself may go before.
public actor ReactiveKVStore: KVStoring {
    /// The store beneath, or an engine over it if it does not observe.
    private nonisolated let store: any KVStoring
    /// The commits of the store.
    nonisolated let observedFeed: any KVFeed
    /// The asynchronous updates that run and wait; the one thing that the actor isolates.
    var updates = UpdateQueue()

    /// Creates a view on a store.
    ///
    /// - Parameter store: The store to read, write and observe.
    public init(_ store: any KVStoring) {
        if let feed = store.feed {
            self.store = store
            observedFeed = feed
        } else {
            let engine = BackendKVStore(UnobservedStore(store))
            self.store = engine
            observedFeed = engine.domainFeed
        }
    }

    /// Returns the value stored under a name, or nil where there is none.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read.
    public nonisolated func storedValue(for name: String) throws -> PropertyListValue? {
        try store.storedValue(for: name)
    }

    /// Returns all values of the store's own domain by name.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read.
    public nonisolated func storedValues() throws -> [String: PropertyListValue] {
        try store.storedValues()
    }

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// - Throws: What the store beneath throws; then nothing was stored.
    public nonisolated func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try store.setStoredValue(value, for: name)
    }

    /// Returns whether the store beneath contains a key.
    public nonisolated func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool {
        store.contains(key)
    }

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``. Observers get one commit.
    public nonisolated func transaction<Result>(
        _ body: (KVTransaction) throws -> Result
    ) throws -> Result {
        try store.transaction(body)
    }

    /// Completes whatever the store beneath has put off.
    ///
    /// - Throws: What the store beneath throws.
    public nonisolated func flush() throws {
        try store.flush()
    }

    /// The commits made to the store's domain; never nil.
    public nonisolated var feed: (any KVFeed)? {
        observedFeed
    }
}

/// A store without a feed as the medium of an engine that has one.
private struct UnobservedStore: KVBackend {
    let store: any KVStoring

    init(_ store: any KVStoring) {
        self.store = store
    }

    func read(_ name: String) throws -> PropertyListValue? {
        try store.storedValue(for: name)
    }

    func readAll() throws -> [String: PropertyListValue] {
        try store.storedValues()
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        try store.transaction { transaction in
            if let domain = expecting.domain, try transaction.storedValues() != domain {
                return false
            }
            for (name, value) in expecting.values
            where try transaction.storedValue(for: name) != value {
                return false
            }
            for (name, value) in changes {
                try transaction.setStoredValue(value, for: name)
            }
            return true
        }
    }

    func flush() throws {
        try store.flush()
    }
}
