/// A store over a medium of one's own.
///
/// ```swift
/// let store = BackendKVStore(RedisBackend(connection))
/// try store.update(Keys.launchCount) { $0 += 1 }
/// ```
///
/// The backend reads and commits; the store adds what every store has: transactions, which run
/// again when a comparison fails, all typed calls, and observation of the commits made through it.
/// Two stores over one medium in a process do not see each other's commits, so make one and share
/// it.
public final class BackendKVStore<Backend: KVBackend>: KVStoring {
    private let domain: BackendDomain<Backend>
    private let handle = HandleID()

    /// Creates a store over a backend.
    public init(_ backend: Backend) {
        domain = BackendDomain(backend)
    }

    /// Returns the value stored under a name, or nil where there is none.
    ///
    /// - Throws: What the backend throws if it cannot be read.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        try domain.storedValue(for: name)
    }

    /// Returns all values by name.
    ///
    /// - Throws: What the backend throws if it cannot be read.
    public func storedValues() throws -> [String: PropertyListValue] {
        try domain.storedValues()
    }

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``; `EncodingError` if the
    ///   value is nested deeper than 128 levels; what the backend throws if it cannot be written.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try domain.set(value, for: name, by: handle)
    }

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    /// Writes out whatever the backend has put off.
    ///
    /// - Throws: What the backend throws if that failed.
    public func flush() throws {
        try domain.backend.flush()
    }

    /// The commits made through this store.
    public var feed: (any KVFeed)? {
        domainFeed
    }

    package var domainFeed: any KVFeed {
        DomainFeed(domain, handle: handle)
    }
}
