import KVStore
import Synchronization

/// A store that forwards everything but its feed.
struct UnobservedKVStore: KVStoring {
    let store: any KVStoring

    init(_ store: any KVStoring) {
        self.store = store
    }

    var feed: (any KVFeed)? { nil }

    func storedValue(for name: String) throws -> PropertyListValue? {
        try store.storedValue(for: name)
    }

    func storedValues() throws -> [String: PropertyListValue] {
        try store.storedValues()
    }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try store.setStoredValue(value, for: name)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try store.transaction(body)
    }

    func flush() throws {
        try store.flush()
    }
}

/// One of several stores over a domain.
final class DomainKVStore<Domain: StoreDomain>: KVStoring {
    private let domain: Domain
    private let handle = HandleID()

    init(over domain: Domain) {
        self.domain = domain
    }

    var feed: (any KVFeed)? { DomainFeed(domain, handle: handle) }

    func storedValue(for name: String) throws -> PropertyListValue? {
        try domain.storedValue(for: name)
    }

    func storedValues() throws -> [String: PropertyListValue] {
        try domain.storedValues()
    }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try transaction { try $0.setStoredValue(value, for: name) }
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    func flush() {}
}

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
