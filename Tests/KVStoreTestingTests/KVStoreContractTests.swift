import KVStore
import KVStoreReactive
import KVStoreTesting
import TestSupport
import Testing

/// Each backend against each rule that applies to it; a new backend is a test more.
@Suite("KVStoreContract")
struct KVStoreContractTests {
    @Test(arguments: KVStoreContract.rules(for: [.observes]))
    func inMemory(rule: KVContractRule) async throws {
        try await rule.check { InMemoryKVStore() }
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .sharesDomain]))
    func inMemoryShared(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let registry = DomainRegistry { MemoryDomain() }
            return { registry.open() }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists]))
    func backend(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let medium = DictionaryBackend()
            return { BackendKVStore(medium) }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists, .sharesDomain]))
    func jsonFile(rule: KVContractRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.limited(patience: .seconds(300)).check(overDomains: {
            let url = folder.newFile()
            return { try JSONFileKVStore(url: url) }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists, .sharesDomain]))
    func reactiveOverJSONFile(rule: KVContractRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.limited(patience: .seconds(300)).check(overDomains: {
            let url = folder.newFile()
            return { ReactiveKVStore(try JSONFileKVStore(url: url)) }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes]))
    func failingNowhere(rule: KVContractRule) async throws {
        try await rule.check { FailingKVStore(InMemoryKVStore()) { _ in nil } }
    }

    @Test(arguments: KVStoreContract.rules(for: []))
    func unobserved(rule: KVContractRule) async throws {
        try await rule.check { UnobservedKVStore(InMemoryKVStore()) }
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes]))
    func reactiveOverInMemory(rule: KVContractRule) async throws {
        try await rule.check { ReactiveKVStore(InMemoryKVStore()) }
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .sharesDomain]))
    func reactiveOverShared(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let registry = DomainRegistry { MemoryDomain() }
            return { ReactiveKVStore(registry.open()) }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists]))
    func reactiveOverBackend(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let medium = DictionaryBackend()
            return { ReactiveKVStore(BackendKVStore(medium)) }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists]))
    func reactiveOverUnobserved(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let medium = DictionaryBackend()
            return { ReactiveKVStore(UnobservedKVStore(BackendKVStore(medium))) }
        })
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes]))
    func reactiveOverReactive(rule: KVContractRule) async throws {
        try await rule.check {
            ReactiveKVStore(ReactiveKVStore(UnobservedKVStore(InMemoryKVStore())))
        }
    }
}
