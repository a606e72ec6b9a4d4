import KVStore

/// What writes a domain to its medium: the seam between what is the same on every platform and the
/// care that Foundation on Linux needs.
protocol SuiteKeeper: Sendable {
    /// Makes the domain fit to be read for the first time.
    func open() throws

    /// Commits changes if the domain is as expected; see ``KVBackend/commit(expecting:changes:)``.
    ///
    /// A commit that is put off is in force at once and written with the next one that is not, by
    /// ``flush()``, soon by itself, or when the keeper goes.
    func commit(
        expecting: KVExpectation,
        changes: [String: PropertyListValue?],
        isPutOff: Bool
    ) throws -> Bool

    /// Takes in what other processes wrote, if they may have written anything.
    ///
    /// - Returns: Whether there was anything since the last call that was for observers.
    func refresh(forObservers: Bool) throws -> Bool

    /// Has a handler called after others may have written the domain; see ``SharedBackend``.
    func watch(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?

    /// Pays heed to changes of keys while the domain is watched; see ``SharedBackend``.
    func follow(_ keys: [String])

    /// Writes out what was put off.
    func flush() throws
}
