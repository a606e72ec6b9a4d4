public import KVStore

/// One key in one store: all that can be done with the value of a ``KVStored`` property.
///
/// It is what `$property` gives:
///
/// ```swift
/// try settings.$nickname.set("Ada")
/// try settings.$launchCount.update { $0 += 1 }
/// try settings.$nickname.remove()
/// for await name in settings.$nickname.stream() { greet(name) }
/// ```
///
/// It may be passed to what needs one setting and not all of them. It keeps the store, and may be
/// used from any thread.
public struct KVHandle<Value: Sendable>: Sendable {
    let link: ControlLink<Value>

    init(_ link: ControlLink<Value>) {
        self.link = link
    }

    /// Creates a handle on a key.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - store: The store to read, write and follow.
    public init<Key: KVKeyProtocol>(_ key: Key, in store: ReactiveKVStore)
    where Key.Reading == Value {
        self.init(ControlLink(key, in: store))
    }

    /// Creates a handle on a key for an optional type.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - store: The store to read, write and follow.
    public init<Wrapped>(_ key: KVKey<Wrapped?>, in store: ReactiveKVStore)
    where Value == Wrapped? {
        self.init(ControlLink(key, in: store))
    }

    /// The value in the store; the default or nil where nothing readable is stored.
    ///
    /// Reading is tracked by observation as long as the handle or the settings object lives.
    /// Assigning stores, and nil removes; a failure leaves the old value and is handed to the
    /// handler of ``KVStoreError/setHandler(_:)``. A change in place is a read and a write, and
    /// writes nothing over a stored value that cannot be read.
    public var value: Value {
        get { link.value }
        nonmutating set {
            if ControlWrite.isRunning {
                link.setByControl(newValue)
            } else {
                link.store[link.key] = newValue
            }
        }
        nonmutating _modify { yield &link.store[link.key] }
    }

    /// Stores a value; nil, for an optional without a default, removes the key.
    ///
    /// - Parameter value: The value to store, in place of whatever is stored.
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws; ``KVStoreError``
    ///   with ``KVStoreError/Code/invalidKey``, or why the storage could not be written. Then the
    ///   old value stays.
    public func set(_ value: Value) throws {
        try link.store.set(link.key, value: value)
    }

    /// Changes the value by a body that reads and writes it as one step.
    ///
    /// No other writer comes in between. The body runs under no lock and may run more than once;
    /// see ``KVAccessing/transaction(_:)``.
    ///
    /// - Parameter body: Changes the value it gets in place.
    /// - Returns: What the body returns.
    /// - Throws: `DecodingError` if the stored value cannot be read, and then leaves it untouched;
    ///   what the body throws; and what ``KVAccessing/transaction(_:)`` throws.
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try link.store.update(link.key, body)
    }

    /// Changes the value by an asynchronous body, one update of the store at a time.
    ///
    /// - Parameter body: Changes the value it gets in place; it runs again if another writer was
    ///   faster.
    /// - Returns: What the body returns, of the run whose value was stored.
    /// - Throws: `CancellationError` if the task is cancelled before the value is stored;
    ///   `DecodingError` if the stored value cannot be read; what the body throws, and why the
    ///   storage could not be written.
    @_disfavoredOverload  // Lets a synchronous body pick the synchronous `update` in async code.
    public nonisolated(nonsending) func update<Result>(
        _ body: nonisolated(nonsending) (inout Value) async throws -> Result
    ) async throws -> Result {
        try await link.store.update(link.key, body)
    }

    /// Removes the key and its value; an absent key is no error and no change.
    ///
    /// - Throws: ``KVStoreError`` if the storage could not be written.
    public func remove() throws {
        try link.store.remove(link.key)
    }

    /// Returns whether anything is stored under the key, readable or not.
    ///
    /// An explicit nil counts. A store that cannot be read contains nothing.
    public func contains() -> Bool {
        link.store.contains(link.key)
    }

    /// Returns a stream of the value: what it is now, then what it becomes.
    ///
    /// It does what `stream(_:initial:bufferingPolicy:)` of ``ReactiveKVStore`` does.
    ///
    /// - Parameters:
    ///   - initial: Whether the first element is the present value.
    ///   - bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    public func stream(
        initial: Bool = true,
        bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Value> {
        link.store.stream(link.key, initial: initial, bufferingPolicy: bufferingPolicy)
    }

    /// Returns a stream of the changes of the value, each with its old and new value.
    ///
    /// - Parameter bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    public func changes(
        bufferingPolicy: AsyncStream<KVChange<Value>>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<KVChange<Value>> {
        link.store.changes(link.key, bufferingPolicy: bufferingPolicy)
    }
}
