import KVStore
import Synchronization
import TestSupport

/// Finds the domain that open stores share, without keeping it.
final class DomainRegistry<Domain: StoreDomain>: Sendable {
    private struct Reference: Sendable {
        weak var domain: Domain?
    }

    private let reference = Mutex(Reference())
    private let makeDomain: @Sendable () -> Domain

    init(_ makeDomain: @escaping @Sendable () -> Domain) {
        self.makeDomain = makeDomain
    }

    func open() -> DomainKVStore<Domain> {
        reference.withLock { reference in
            let domain = reference.domain ?? makeDomain()
            reference.domain = domain
            return DomainKVStore(over: domain)
        }
    }
}
