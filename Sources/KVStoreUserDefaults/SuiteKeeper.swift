import KVStore

/// What writes a domain to its medium: the seam between what is the same on every platform and the
/// care that Foundation on Linux needs.
protocol SuiteKeeper: Sendable {
    /// Makes the domain fit to be read for the first time.
    func open() throws

    /// Commits changes if the domain is as expected; see ``KVBackend/commit(expecting:changes:)``.
    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool

    /// Writes out what was put off.
    func flush() throws
}
