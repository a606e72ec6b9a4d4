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
    private let domain: MemoryDomain
    private let handle = HandleID()

    /// Creates an empty store.
    public init() {
        domain = MemoryDomain()
    }

    /// Creates a store of the values in the arguments of a command line, which cannot be written.
    ///
    /// ```swift
    /// // tool -skipLogin true -loginTries 3 -lastGameTime 61.3 -nickname 007
    /// let arguments = InMemoryKVStore(arguments: CommandLine.arguments)
    /// arguments.get(KVKey<Int>("loginTries"))    // 3
    /// arguments.get(KVKey<String>("nickname"))   // "007"
    /// ```
    ///
    /// A name with one hyphen before it and the argument after it are a key and its value; of a name
    /// that is there twice, the last counts. Everything else is for the program to read: arguments
    /// with two hyphens, a name with nothing or with another name after it, whatever follows `--`.
    /// A value may be a negative number and may not begin with a hyphen otherwise.
    ///
    /// An argument becomes a bool or a number only if that is written exactly as the argument is:
    /// `true`, `3` and `61.3` do, `YES`, `007` and `1e3` stay strings. A `String` key reads each as
    /// it was typed. Writing throws ``KVStoreError/Code/unwritable``; put the store before another
    /// one in a ``LayeredKVStore``.
    ///
    /// - Parameter arguments: The arguments, with or without the program's path.
    public init(arguments: [String]) {
        domain = MemoryDomain(readOnly: LaunchArguments.values(in: arguments))
    }

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
