import Foundation
import KVStore

/// Writes through `UserDefaults` alone, which is all that Apple platforms need.
struct PlainKeeper: SuiteKeeper {
    let defaults: SuiteDefaults

    /// How many keys may be changed before `UserDefaults` must write them: Foundation on Linux
    /// looks through all changed keys at each change.
    private static let batchSize = 400

    func open() {
        defaults.locked { $0.touch() }
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        try defaults.locked { defaults in
            if try !expecting.isMet(by: defaults) { return false }
            try apply(changes, to: defaults)
            return true
        }
    }

    func flush() throws {
        guard defaults.locked({ $0.synchronize() }) else { throw Self.failure }
    }

    /// Makes changes and writes them out; puts everything back if that fails.
    private func apply(
        _ changes: [String: PropertyListValue?],
        to defaults: borrowing SuiteDefaults.Access
    ) throws {
        let objects = try changes.map { name, value in
            (name: name, object: try value.map { try PropertyListBoxing.boxed($0, for: name) })
        }
        // All before the first change, because each read after a change copies the whole domain.
        let old = defaults.ownObjects(of: objects.map(\.name))
        for (index, change) in objects.enumerated() {
            defaults.setObject(change.object, change.name)
            guard (index + 1).isMultiple(of: Self.batchSize) || index + 1 == objects.count else {
                continue
            }
            guard defaults.synchronize() else {
                for name in changes.keys { defaults.setObject(old[name], name) }
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
