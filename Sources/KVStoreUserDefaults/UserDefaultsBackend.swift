import KVStore

/// The medium of ``UserDefaultsKVStore``: a domain of `UserDefaults`, or none where the name of the
/// suite is refused.
final class UserDefaultsBackend: KVBackend {
    private let suite: Suite?

    private struct Suite: Sendable {
        let defaults: SuiteDefaults
        let keeper: any SuiteKeeper
    }

    /// Creates the backend of a suite, which refuses everything where the suite is nil.
    init(_ name: SuiteName?) {
        suite = name.flatMap { SuiteDefaults($0) }.map { defaults in
            let keeper = PlainKeeper(defaults: defaults)
            keeper.open()
            return Suite(defaults: defaults, keeper: keeper)
        }
    }

    func read(_ name: String) throws -> PropertyListValue? {
        let suite = try requireSuite()
        guard KeyName.isValid(name) else { return nil }
        return try suite.defaults.locked { try $0.value(name) }
    }

    func readAll() throws -> [String: PropertyListValue] {
        try requireSuite().defaults.locked { $0.values() }
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        try requireSuite().keeper.commit(expecting: expecting, changes: changes)
    }

    func flush() throws {
        try requireSuite().keeper.flush()
    }

    private func requireSuite() throws -> Suite {
        guard let suite else {
            throw KVStoreError(
                .invalidSuite,
                reason: "The name of a suite is 1 to 200 bytes of UTF-8, does not begin with a "
                    + "dot, has no slash and no null character, and is not that of a domain of "
                    + "the system. Nothing was read or stored."
            )
        }
        return suite
    }
}
