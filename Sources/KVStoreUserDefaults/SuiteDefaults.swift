import Foundation
import KVStore
import Synchronization

/// The user defaults of one domain, as the store uses them.
///
/// Sound as `Sendable` because the instance is this object's own, made by it and never handed out,
/// and every use of it is inside ``lock``.
final class SuiteDefaults: @unchecked Sendable {
    /// The one lock around every use of `UserDefaults` in this module.
    ///
    /// Foundation on Linux has one lock for all domains too. It drops that lock in the midst of
    /// loading a domain, when readers on other threads find it empty.
    private static let lock = Mutex<Void>(())

    /// The name by which `UserDefaults` knows the domain.
    let domainName: String
    private let defaults: UserDefaults
    /// A domain that nobody ever wrote: reads give what lies behind every domain.
    private let background: UserDefaults

    /// The name of that domain, one for all suites: Foundation keeps each it has heard of.
    private static let backgroundName = "KVStore.\(UUID().uuidString)"

    /// Opens a domain without touching its values; nil where `UserDefaults` refuses the name.
    init?(_ suite: SuiteName) {
        let name: String? = if case .suite(let name) = suite { name } else { nil }
        // For the standard domain as well, an instance of our own, because launch arguments are
        // masked instance by instance.
        guard let defaults = UserDefaults(suiteName: name),
            let background = UserDefaults(suiteName: Self.backgroundName)
        else { return nil }
        defaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
        background.removeVolatileDomain(forName: UserDefaults.argumentDomain)
        self.defaults = defaults
        self.background = background
        domainName = suite.domainName
    }

    /// Runs a body that sees no other use of `UserDefaults` by this module in between.
    func locked<Result: Sendable>(_ body: (borrowing Access) throws -> Result) rethrows -> Result {
        try Self.lock.withLock { _ in
            try body(Access(defaults: defaults, background: background, name: domainName))
        }
    }
}

extension SuiteDefaults {
    /// The calls of `UserDefaults` that the store makes, for the length of one hold of the lock.
    struct Access: ~Copyable {
        private let defaults: UserDefaults
        private let background: UserDefaults
        private let name: String

        fileprivate init(defaults: UserDefaults, background: UserDefaults, name: String) {
            self.defaults = defaults
            self.background = background
            self.name = name
        }

        /// Loads the domain, so that readers on other threads do not find it half loaded.
        func touch() {
            _ = defaults.object(forKey: "touch")
        }

        /// Returns the value of a key as `UserDefaults` finds it.
        ///
        /// - Throws: ``KVStoreError`` with `invalidValue` if it is of no kind of a property list,
        ///   which only a registered default can be.
        func value(_ key: String) throws -> PropertyListValue? {
            try value(of: object(key), key)
        }

        /// Returns what a key reads as while the domain itself has no value of it: a registered
        /// default or a global one.
        ///
        /// - Throws: As ``value(_:)`` does.
        func valueBehind(_ key: String) throws -> PropertyListValue? {
            #if canImport(Darwin)
            if background.volatileDomain(forName: UserDefaults.argumentDomain)[key] != nil {
                let registered = background.volatileDomain(
                    forName: UserDefaults.registrationDomain
                )
                return try value(of: registered[key], key)
            }
            #endif
            return try value(of: Self.object(key, in: background), key)
        }

        private func value(of object: Any?, _ key: String) throws -> PropertyListValue? {
            guard let object else { return nil }
            guard let value = PropertyListBoxing.value(object) else {
                throw KVStoreError(
                    .invalidValue,
                    reason: "Other code gave the key a value that is no property list, or one "
                        + "that nests too deeply. It was left as it is.",
                    key: key
                )
            }
            return value
        }

        /// Returns the domain's own values: not registered ones, arguments or global ones.
        ///
        /// Keys and values that no store can hold are left out.
        func values() -> [String: PropertyListValue] {
            var values: [String: PropertyListValue] = [:]
            for (key, object) in defaults.persistentDomain(forName: name) ?? [:] {
                let key = key.normalizedKey
                guard KeyName.isValid(key) else { continue }
                values[key] = PropertyListBoxing.value(object)
            }
            return values
        }

        /// Returns the object of a key in whichever spelling it is there.
        func object(_ key: String) -> Any? {
            #if canImport(Darwin)
            if let own = ownObjectBehindArgument(key) { return own }
            #endif
            return Self.object(key, in: defaults)
        }

        private static func object(_ key: String, in defaults: UserDefaults) -> Any? {
            let normalized = key.normalizedKey
            if let object = defaults.object(forKey: normalized) { return object }
            if normalized.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
            return defaults.object(forKey: normalized.decomposedStringWithCanonicalMapping)
        }

        /// Returns the objects of keys in the domain itself, not behind it.
        func ownObjects(of keys: [String]) -> [String: Any] {
            let domain = defaults.persistentDomain(forName: name) ?? [:]
            var objects: [String: Any] = [:]
            for key in keys {
                let normalized = key.normalizedKey
                objects[key] =
                    domain[normalized] ?? domain[normalized.decomposedStringWithCanonicalMapping]
            }
            return objects
        }

        /// Sets or removes the object of a key, in memory.
        ///
        /// An old object goes first: Foundation on Linux ignores a new one that it thinks equal,
        /// as it does 1 and 1.0, and two spellings of one string. The object is of one of the kinds
        /// that ``PropertyListBoxing`` makes, or one that `UserDefaults` gave.
        func setObject(_ object: Any?, _ key: String) {
            let normalized = key.normalizedKey
            defaults.removeObject(forKey: normalized)
            if normalized.utf8.contains(where: { $0 >= 0x80 }) {
                defaults.removeObject(forKey: normalized.decomposedStringWithCanonicalMapping)
            }
            // Passed on as `Any`, because other overloads of `set` do not return for nil.
            if let object { defaults.set(object as Any, forKey: normalized) }
        }

        /// Writes to disk what was set, and reads again what others wrote; false if that failed.
        func synchronize() -> Bool {
            defer { touch() }
            return defaults.synchronize()
        }

        #if canImport(Darwin)
        /// The object that a launch argument hides from every instance.
        private func ownObjectBehindArgument(_ key: String) -> Any? {
            guard defaults.volatileDomain(forName: UserDefaults.argumentDomain)[key] != nil else {
                return nil
            }
            return defaults.persistentDomain(forName: name)?[key]
                ?? defaults.volatileDomain(forName: UserDefaults.registrationDomain)[key]
        }
        #endif
    }
}
