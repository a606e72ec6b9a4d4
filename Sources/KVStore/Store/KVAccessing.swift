/// The raw calls that stores and transactions share; the typed calls are built on them.
///
/// A helper that takes `some KVAccessing` works on a store and inside a transaction alike:
///
/// ```swift
/// func resetAppearance(_ target: some KVAccessing) throws {
///     try target.remove(Keys.theme)
///     try target.remove(Keys.fontSize)
/// }
/// try store.transaction { t in try resetAppearance(t) }
/// ```
///
/// Raw calls speak ``PropertyListValue``. Keys that no typed key of the program names, and values
/// that a newer version wrote, are seen and kept as they are.
public protocol KVAccessing {
    /// Returns the value stored under a name, or nil where there is none.
    ///
    /// Reading creates nothing. A name that no backend can hold reads as absent.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read.
    func storedValue(for name: String) throws -> PropertyListValue?

    /// Returns all values of the store's own domain by name.
    ///
    /// Own means stored through this domain: never defaults registered with Foundation, launch
    /// arguments, or a global domain.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read.
    /// - Complexity: O(1) on stores that keep their values in memory, else O(number of keys).
    func storedValues() throws -> [String: PropertyListValue]

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// Storing an equal value is no change: observers see nothing. A failure leaves the store as it
    /// was.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``, or why the storage could
    ///   not be written; `EncodingError` if the value is nested deeper than 128 levels.
    func setStoredValue(_ value: PropertyListValue?, for name: String) throws

    /// Returns whether anything is stored under a key, readable as its type or not.
    ///
    /// An explicit nil counts. A store that cannot be read contains nothing. Implemented for every
    /// store as "there is a stored value"; a store whose reads also give values that are not its own
    /// says here whether its own has one, and a type that wraps a store forwards the call.
    func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// ```swift
    /// let moved = try store.transaction { t in
    ///     let old = try t.value(for: Keys.oldName)
    ///     try t.set(Keys.newName, value: old)
    ///     try t.remove(Keys.oldName)
    ///     return old != nil
    /// }
    /// ```
    ///
    /// All reads in the body see one state of the store, plus the body's own changes. When the body
    /// returns, the store compares what it read with the present state and commits if they agree;
    /// otherwise it **runs the body again**, so a body should do nothing else that cannot be
    /// repeated. It runs on the calling thread and under no lock: other threads read and write
    /// meanwhile. Writing to the same domain inside the body other than through the transaction
    /// throws ``KVStoreError/Code/nestedWrite``.
    ///
    /// A body that throws changes nothing, and its error is passed on. Inside a transaction this
    /// call nests: an inner body that throws undoes its own changes alone.
    ///
    /// - Parameter body: The reads and writes to make together. The transaction it gets ends with
    ///   it; used later, it throws ``KVStoreError/Code/transactionEnded``.
    /// - Returns: What the body returned, of the run that was committed.
    /// - Throws: What the body throws; ``KVStoreError`` with ``KVStoreError/Code/busy`` if other
    ///   writers kept changing what the body reads for five seconds, or why the storage could not
    ///   be written.
    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result
}
