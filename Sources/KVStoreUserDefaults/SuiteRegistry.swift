import KVStore
import Synchronization

/// The domains that are open in this process: one for each suite, however many stores there are.
enum SuiteRegistry {
    typealias Domain = BackendDomain<UserDefaultsBackend>

    private struct WeakDomain: Sendable {
        weak let domain: Domain?
    }

    private static let domains = Mutex<[SuiteName: WeakDomain]>([:])

    /// Returns the domain of a suite, opening it for the first store; nil names a refused suite.
    static func domain(of name: SuiteName?) -> Domain {
        guard let name else { return Domain(UserDefaultsBackend(nil)) }
        return domains.withLock { domains in
            if let domain = domains[name]?.domain { return domain }
            domains = domains.filter { $0.value.domain != nil }
            let domain = Domain(UserDefaultsBackend(name))
            domains[name] = WeakDomain(domain: domain)
            return domain
        }
    }
}
