/// A store that keeps its values in memory, for unit tests, previews and state that may go.
///
/// ```swift
/// let store = InMemoryKVStore()
/// try store.set(Keys.theme, value: .dark)
/// #expect(try store.storedValues() == ["theme": "dark"])
/// ```
///
/// Values pass through the same codec as on every other backend, so a test fails where production
/// would. Two instances share nothing; the values go with the last reference to the store. It
/// observes, and may be used from any thread.
public final class InMemoryKVStore: KVStoring {
    private let domain = MemoryDomain()
    private let handle = HandleID()

    /// Creates an empty store.
    public init() {}

    /// Returns the value stored under a name, or nil where there is none.
    public func storedValue(for name: String) -> PropertyListValue? {
        domain.storedValue(for: name)
    }

    /// Returns all values by name.
    ///
    /// - Complexity: O(1).
    public func storedValues() -> [String: PropertyListValue] {
        domain.storedValues()
    }

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``; `EncodingError` if the
    ///   value is nested deeper than 128 levels.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try domain.set(value, for: name, by: handle)
    }

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    /// Does nothing: there is nowhere to flush to.
    public func flush() {}

    /// The commits made to this store.
    public var feed: (any KVFeed)? {
        DomainFeed(domain, handle: handle)
    }
}
