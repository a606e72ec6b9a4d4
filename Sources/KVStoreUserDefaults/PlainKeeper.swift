import Foundation
import KVStore
import Synchronization

/// Writes through `UserDefaults` alone, which is all that Apple platforms need.
final class PlainKeeper: SuiteKeeper {
    private let suite: SuiteName
    private let defaults: SuiteDefaults

    /// How many keys may be changed before `UserDefaults` must write them: Foundation on Linux
    /// looks through all changed keys at each change.
    private static let batchSize = 400

    #if canImport(Darwin)
    private let observer = Mutex(WeakObserver())

    private struct WeakObserver: Sendable {
        weak var observer: DomainObserver?
    }
    #endif

    init(_ suite: SuiteName, _ defaults: SuiteDefaults) {
        self.suite = suite
        self.defaults = defaults
    }

    func open() {
        defaults.locked { $0.touch() }
    }

    func commit(
        expecting: KVExpectation,
        changes: [String: PropertyListValue?],
        isPutOff: Bool
    ) throws -> Bool {
        let isCommitted = try defaults.locked { defaults in
            if try !expecting.isMet(by: defaults) { return false }
            let objects = try PropertyListBoxing.boxed(changes)
            if isPutOff {
                // UserDefaults itself writes it soon, and when the program ends.
                for (name, object) in objects { defaults.setObject(object, name) }
            } else {
                try apply(objects, to: defaults)
            }
            return true
        }
        #if canImport(Darwin)
        if isCommitted { DomainObserver.announce(suite) }
        #endif
        return isCommitted
    }

    func refresh(forObservers: Bool) -> Bool {
        // UserDefaults itself takes in what other processes write.
        forObservers
    }

    func watch(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        #if canImport(Darwin)
        guard let observer = DomainObserver(suite, handler: handler) else { return nil }
        self.observer.withLock { $0.observer = observer }
        follow(defaults.locked { Array($0.values().keys) })
        return observer
        #else
        return nil
        #endif
    }

    func follow(_ keys: [String]) {
        #if canImport(Darwin)
        let observer = observer.withLock { $0.observer }
        observer?.follow(keys)
        #endif
    }

    func flush() throws {
        guard defaults.locked({ $0.synchronize() }) else { throw Self.failure }
    }

    /// Makes changes and writes them out; puts everything back if that fails.
    private func apply(
        _ objects: [(name: String, object: Any?)],
        to defaults: borrowing SuiteDefaults.Access
    ) throws {
        // All before the first change, because each read after a change copies the whole domain.
        let old = defaults.ownObjects(of: objects.map(\.name))
        for (index, change) in objects.enumerated() {
            defaults.setObject(change.object, change.name)
            guard (index + 1).isMultiple(of: Self.batchSize) || index + 1 == objects.count else {
                continue
            }
            guard defaults.synchronize() else {
                for (name, _) in objects { defaults.setObject(old[name], name) }
                throw Self.failure
            }
        }
    }

    private static let failure = KVStoreError(
        .unwritable,
        reason: "UserDefaults could not write the domain to disk. The old values are back in "
            + "force in memory."
    )
}

extension KVExpectation {
    /// Returns whether what a commit relies on is what the defaults hold.
    func isMet(by defaults: borrowing SuiteDefaults.Access) throws -> Bool {
        if let domain, domain != defaults.values() { return false }
        for (name, value) in values where try defaults.value(name) != value { return false }
        return true
    }
}
