/// What a medium must do to become a store: read, and compare and commit.
///
/// ``BackendKVStore`` makes a complete store of it, with transactions, observation and the typed
/// calls. A backend stores trees under names; names have been checked and values are at most 128
/// levels deep when they arrive. Calls to ``commit(expecting:changes:)`` come one at a time, reads
/// from any thread at any time.
public protocol KVBackend: Sendable {
    /// Returns the value stored under a name, or nil where there is none; creates nothing.
    ///
    /// - Throws: An error if the medium cannot be read, which is different from absent.
    func read(_ name: String) throws -> PropertyListValue?

    /// Returns all values by name, as they are at one moment.
    ///
    /// - Throws: An error if the medium cannot be read.
    func readAll() throws -> [String: PropertyListValue]

    /// Stores changes in one step if what is stored is as expected.
    ///
    /// Either every change is stored or none, also for readers that look at the same time, and a
    /// value stored is as durable as the backend promises when the call returns. A change that is
    /// equal to what is stored need not be written again.
    ///
    /// - Parameters:
    ///   - expecting: The values that the changes rely on, to be compared with what is stored now,
    ///     and, on a medium that several processes write, under its lock.
    ///   - changes: The new values by name; nil removes.
    /// - Returns: False if something differs from what was expected; then nothing was stored.
    /// - Throws: An error if the medium could not be written; then nothing was stored.
    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool

    /// Writes out whatever the backend has put off.
    ///
    /// - Throws: An error if that failed.
    func flush() throws
}
