import KVStore
import Synchronization

/// The medium of ``UserDefaultsKVStore``: a domain of `UserDefaults`, or none where the name of the
/// suite is refused.
final class UserDefaultsBackend: SharedBackend {
    private let suite: Suite?
    /// How many stores over the domain want each commit written before it returns.
    private let promptStores = Atomic(0)

    private final class Suite: Sendable {
        let defaults: SuiteDefaults
        let keeper: any SuiteKeeper
        /// Whether values that are not found are not there, and not just out of reach.
        let isAvailable: @Sendable () -> Bool
        /// Whether `UserDefaults` may be asked: not before the file was found fit for that.
        let isOpen = Atomic(false)

        init(
            defaults: SuiteDefaults,
            keeper: any SuiteKeeper,
            isAvailable: @escaping @Sendable () -> Bool
        ) {
            self.defaults = defaults
            self.keeper = keeper
            self.isAvailable = isAvailable
        }
    }

    /// Creates the backend of a suite, which refuses everything where the suite is nil.
    ///
    /// - Parameters:
    ///   - name: The suite.
    ///   - isAvailable: Asked until it is true once; if nil, the system is asked.
    init(_ name: SuiteName?, isAvailable: (@Sendable () -> Bool)? = nil) {
        guard let name, let defaults = SuiteDefaults(name) else {
            suite = nil
            return
        }
        #if canImport(Darwin)
        let keeper = PlainKeeper(name, defaults)
        #else
        let keeper = GuardedDomain(name, defaults)
        #endif
        suite = Suite(
            defaults: defaults,
            keeper: keeper,
            isAvailable: isAvailable ?? { StorageAvailability.isAvailable(name) }
        )
        // A failure comes again with the first read.
        _ = try? openSuite()
    }

    /// Counts a store that wants each commit written before it returns, or one less.
    func countPromptStore(by change: Int) {
        promptStores.add(change, ordering: .acquiringAndReleasing)
    }

    func read(_ name: String) throws -> PropertyListValue? {
        let suite = try openSuite()
        guard KeyName.isValid(name) else { return nil }
        takeIn(suite)
        return try suite.defaults.locked { try $0.value(name) }
    }

    func valueBehindAbsence(of name: String) throws -> PropertyListValue? {
        let suite = try openSuite()
        guard KeyName.isValid(name) else { return nil }
        return try suite.defaults.locked { try $0.valueBehind(name) }
    }

    func readAll() throws -> [String: PropertyListValue] {
        let suite = try openSuite()
        takeIn(suite)
        return suite.defaults.locked { $0.values() }
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        try openSuite().keeper.commit(
            expecting: expecting,
            changes: changes,
            isPutOff: promptStores.load(ordering: .acquiring) == 0
        )
    }

    func flush() throws {
        try openSuite().keeper.flush()
    }

    func watch(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        suite?.keeper.watch(handler)
    }

    func follow(_ names: [String]) {
        suite?.keeper.follow(names)
    }

    func refresh() throws -> Bool {
        try openSuite().keeper.refresh(forObservers: true)
    }

    /// Takes in what other processes wrote; what cannot be taken in now will be later.
    private func takeIn(_ suite: Suite) {
        _ = try? suite.keeper.refresh(forObservers: false)
    }

    /// Returns the suite, having opened it.
    private func openSuite() throws -> Suite {
        let suite = try requireSuite()
        if suite.isOpen.load(ordering: .acquiring) { return suite }
        guard suite.isAvailable() else {
            throw KVStoreError(
                .storageUnavailable,
                reason: "The device was not unlocked since it started, and until then UserDefaults "
                    + "may read as empty. Nothing was read or stored."
            )
        }
        // Twice on two threads does no harm.
        try suite.keeper.open()
        suite.isOpen.store(true, ordering: .releasing)
        return suite
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
