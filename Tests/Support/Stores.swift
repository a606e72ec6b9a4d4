package import KVStore

/// A store that forwards everything but its feed.
package struct UnobservedKVStore: KVStoring {
    private let store: any KVStoring

    package init(_ store: any KVStoring) {
        self.store = store
    }

    package var feed: (any KVFeed)? { nil }

    package func storedValue(for name: String) throws -> PropertyListValue? {
        try store.storedValue(for: name)
    }

    package func storedValues() throws -> [String: PropertyListValue] {
        try store.storedValues()
    }

    package func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try store.setStoredValue(value, for: name)
    }

    package func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try store.transaction(body)
    }

    package func flush() throws {
        try store.flush()
    }
}

/// One of several stores over a domain that a test has made and can look into.
package final class DomainKVStore<Domain: StoreDomain>: KVStoring {
    private let domain: Domain
    private let handle = HandleID()

    package init(over domain: Domain) {
        self.domain = domain
    }

    package var feed: (any KVFeed)? { DomainFeed(domain, handle: handle) }

    package func storedValue(for name: String) throws -> PropertyListValue? {
        try domain.storedValue(for: name)
    }

    package func storedValues() throws -> [String: PropertyListValue] {
        try domain.storedValues()
    }

    package func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try transaction { try $0.setStoredValue(value, for: name) }
    }

    package func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    package func flush() {}
}
