@_exported public import KVStore  // A file that makes a store also declares keys and injects it.

/// A store over a domain of `UserDefaults`: the program's own, or a suite that programs share.
///
/// ```swift
/// let store = UserDefaultsKVStore(suiteName: "group.example")
/// try store.set(Keys.theme, value: .dark)
/// UserDefaults(suiteName: "group.example")?.string(forKey: "theme")  // "dark"
/// ```
///
/// It is `UserDefaults` itself that holds the values: nothing is cached, and other code that uses
/// the same suite in this process sees each write at once, as the store sees theirs. All stores
/// over one suite in a process share its observers. It may be used from any thread.
///
/// **Reading.** A read gives what `UserDefaults` would give, except that launch arguments do not
/// count. A default registered with Foundation reads as present, and is what removing the key
/// reveals. ``KVAccessing/keys()`` and ``KVAccessing/removeAll()`` cover the values that are stored
/// in the domain itself, and never registered or global ones.
///
/// **Writing.** When a write returns, the value is on disk, unless the store was created to write
/// ``Writing/coalesced``. On Linux `UserDefaults` alone would keep
/// it in memory until someone synchronizes.
///
/// **Form.** Values are native property lists, legible to any other program: see
/// ``PropertyListValue``. Where the XML files of Linux would change a value (a date with a fraction
/// of a second, `-0.0`, text that XML has no place for), a tagged dictionary stands in its place,
/// and raw `UserDefaults` calls see that dictionary. Two spellings of one key are one key; it is
/// stored in its composed form.
///
/// **Before the first unlock** of a device `UserDefaults` may read as empty. Until it was unlocked once
/// since it started, reads fall back, and writes, updates, transactions and strict reads throw
/// ``KVStoreError/Code/storageUnavailable`` instead of replacing what is there by defaults.
///
/// Foundation on Linux reads and writes a domain as a whole, so keep it to a thousand keys or so.
public final class UserDefaultsKVStore: KVStoring {
    /// When a write reaches the disk.
    public enum Writing: Sendable {
        /// Before it returns.
        case immediate

        /// A moment after it returned, together with others: for values that change often, such as
        /// the position of a slider.
        ///
        /// Every read in the process gives the new value at once, and observers are told. It is on
        /// disk after ``UserDefaultsKVStore/flush()``, after half a second or so by itself, when the
        /// last store over the suite goes, and when the program ends in the ordinary way.
        ///
        /// **What a crash may lose.** What was written since the last of these, and never a part of
        /// it only: an earlier write is never lost while a later one is kept. Until it is on disk,
        /// other processes do not see it, and what they write to the same key meanwhile is replaced
        /// by it; so a counter that several processes `update` needs ``immediate``. A failure to
        /// write goes to the handler of ``KVStoreError/setHandler(_:)``; the value stays in force
        /// and is written with the next one.
        case coalesced
    }

    private let domain: SuiteRegistry.Domain
    private let handle = HandleID()
    private let writing: Writing

    /// Creates a store over the program's own domain, that of `UserDefaults.standard`.
    public convenience init() {
        self.init(suiteName: nil)
    }

    /// Creates a store over a suite.
    ///
    /// Creating never fails. A name that is no suite's (empty, longer than 200 bytes of UTF-8, with
    /// a slash or U+0000, beginning with a dot, or that of a system domain) gives a store that reads
    /// as empty; its writes and strict reads throw ``KVStoreError/Code/invalidSuite``.
    ///
    /// - Parameters:
    ///   - suiteName: The name of the suite; nil and the program's own name stand for the program's
    ///     own domain.
    ///   - writing: When a write reaches the disk. All stores over a suite in a process write alike:
    ///     ``Writing/coalesced`` counts as long as none of them is ``Writing/immediate``.
    public init(suiteName: String?, writing: Writing = .immediate) {
        domain = SuiteRegistry.domain(of: SuiteName(suiteName))
        self.writing = writing
        if writing == .immediate { domain.backend.countPromptStore(by: 1) }
    }

    /// Creates a store over a suite that is its own, and that is out of reach for a while.
    package init(suiteName: String?, isAvailable: @escaping @Sendable () -> Bool) {
        domain = SuiteRegistry.Domain(
            UserDefaultsBackend(SuiteName(suiteName), isAvailable: isAvailable)
        )
        writing = .coalesced
    }

    deinit {
        if writing == .immediate { domain.backend.countPromptStore(by: -1) }
    }

    /// Returns the value of a name as `UserDefaults` finds it, or nil where there is none.
    ///
    /// - Throws: ``KVStoreError`` if the name of the suite is refused or the domain cannot be read,
    ///   or if the value is a registered one that is no property list.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        try domain.storedValue(for: name)
    }

    /// Returns the values that are stored in the domain itself, by name.
    ///
    /// - Throws: ``KVStoreError`` if the name of the suite is refused or the domain cannot be read.
    public func storedValues() throws -> [String: PropertyListValue] {
        try domain.storedValues()
    }

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``,
    ///   ``KVStoreError/Code/invalidSuite`` or ``KVStoreError/Code/unwritable``; `EncodingError` if
    ///   the value is nested deeper than 128 levels.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try domain.set(value, for: name, by: handle)
    }

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    /// Writes out what `UserDefaults` holds in memory: coalesced writes, and the raw ones of other
    /// code.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/unwritable`` if that failed.
    public func flush() throws {
        try domain.backend.flush()
    }

    /// The commits made to the domain.
    public var feed: (any KVFeed)? {
        DomainFeed(domain, handle: handle)
    }
}
