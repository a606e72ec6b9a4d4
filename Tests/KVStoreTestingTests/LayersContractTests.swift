import KVStore
import KVStoreReactive
import KVStoreTesting
import TestSupport
import Testing

/// Scopes and layered stores against the contract, over each other and over the backends.
@Suite("KVStoreContract of scopes and layers")
struct LayersContractTests {
    private static let prefix = "scope."
    private static let all: KVStoreContract.Features = [.observes, .persists, .sharesDomain]

    /// The rules, for names that have to leave room for some prefixes.
    private static func rules(
        _ features: KVStoreContract.Features,
        prefixes: Int
    ) -> [KVContractRule] {
        KVStoreContract.rules(for: features).map {
            $0.limited(
                patience: .seconds(300),
                nameLength: KeyName.maximumLength - prefixes * prefix.utf8.count
            )
        }
    }

    /// A scope of a store that has keys outside it, and beside it in the alphabet.
    private static func scope(of store: any KVStoring) throws -> any KVStoring {
        for name in ["scope", "scopf.key", "key", "other"] {
            try store.setStoredValue("outside", for: name)
        }
        return store.scoped(to: prefix)
    }

    /// A store between launch arguments and defaults that have other keys.
    private static func layers(over store: any KVStoring) throws -> any KVStoring {
        let defaults = InMemoryKVStore()
        try defaults.setStoredValue(1, for: "of the defaults")
        let arguments = InMemoryKVStore(arguments: ["-of.the.arguments", "1"])
        return LayeredKVStore(arguments, store, defaults: defaults)
    }

    @Test(arguments: rules([.observes], prefixes: 1))
    func scopeOfMemory(rule: KVContractRule) async throws {
        try await rule.check { try Self.scope(of: InMemoryKVStore()) }
    }

    @Test(arguments: rules([.observes, .sharesDomain], prefixes: 1))
    func scopeOfShared(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let registry = DomainRegistry { MemoryDomain() }
            return { registry.open().scoped(to: Self.prefix) }
        })
    }

    @Test(arguments: rules(all, prefixes: 1))
    func scopeOfJSONFile(rule: KVContractRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.check(overDomains: {
            let url = folder.newFile()
            return { try Self.scope(of: JSONFileKVStore(url: url)) }
        })
    }

    @Test(arguments: rules([.observes], prefixes: 0))
    func layersOverMemory(rule: KVContractRule) async throws {
        try await rule.check { try Self.layers(over: InMemoryKVStore()) }
    }

    @Test(arguments: rules([.observes, .sharesDomain], prefixes: 0))
    func layersOverShared(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let registry = DomainRegistry { MemoryDomain() }
            return { try Self.layers(over: registry.open()) }
        })
    }

    @Test(arguments: rules(all, prefixes: 0))
    func layersOverJSONFile(rule: KVContractRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.check(overDomains: {
            let url = folder.newFile()
            return { try Self.layers(over: JSONFileKVStore(url: url)) }
        })
    }

    @Test(arguments: rules([.observes, .persists], prefixes: 1))
    func scopeOfBackend(rule: KVContractRule) async throws {
        try await rule.check(overDomains: {
            let medium = DictionaryBackend()
            return { try Self.scope(of: BackendKVStore(medium)) }
        })
    }

    @Test(arguments: rules([], prefixes: 1))
    func scopeOfUnobserved(rule: KVContractRule) async throws {
        try await rule.check { try Self.scope(of: UnobservedKVStore(InMemoryKVStore())) }
    }

    @Test(arguments: rules([.observes], prefixes: 2))
    func scopeOfScope(rule: KVContractRule) async throws {
        try await rule.check { try Self.scope(of: Self.scope(of: InMemoryKVStore())) }
    }

    @Test(arguments: rules([.observes], prefixes: 1))
    func scopeOfLayers(rule: KVContractRule) async throws {
        try await rule.check { try Self.scope(of: Self.layers(over: InMemoryKVStore())) }
    }

    @Test(arguments: rules([.observes], prefixes: 1))
    func layersOverScope(rule: KVContractRule) async throws {
        try await rule.check { try Self.layers(over: Self.scope(of: InMemoryKVStore())) }
    }

    @Test(arguments: rules([.observes], prefixes: 0))
    func layersOverLayers(rule: KVContractRule) async throws {
        try await rule.check { try Self.layers(over: Self.layers(over: InMemoryKVStore())) }
    }

    @Test(arguments: rules([.observes], prefixes: 1))
    func scopeOfReactive(rule: KVContractRule) async throws {
        try await rule.check {
            try Self.scope(of: ReactiveKVStore(UnobservedKVStore(InMemoryKVStore())))
        }
    }

    @Test(arguments: rules([.observes], prefixes: 0))
    func layersOverReactive(rule: KVContractRule) async throws {
        try await rule.check { try Self.layers(over: ReactiveKVStore(InMemoryKVStore())) }
    }

    @Test(arguments: rules(all, prefixes: 1))
    func reactiveOverScopeOfJSONFile(rule: KVContractRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.check(overDomains: {
            let url = folder.newFile()
            return { ReactiveKVStore(try Self.scope(of: JSONFileKVStore(url: url))) }
        })
    }

    @Test(arguments: rules(all, prefixes: 0))
    func reactiveOverLayersOverJSONFile(rule: KVContractRule) async throws {
        let folder = try TemporaryFolder()
        try await rule.check(overDomains: {
            let url = folder.newFile()
            return { ReactiveKVStore(try Self.layers(over: JSONFileKVStore(url: url))) }
        })
    }

    @Test(arguments: rules([.observes], prefixes: 1))
    func reactiveOverUnobservedScope(rule: KVContractRule) async throws {
        try await rule.check {
            let scope = try Self.scope(of: InMemoryKVStore())
            return ReactiveKVStore(UnobservedKVStore(scope))
        }
    }
}

@Suite("ReactiveKVStore over LayeredKVStore")
struct LayersReactiveTests {
    private let key = KVDefaultKey("key", default: 0)

    @Test(.timeLimit(.minutes(10)))
    func asynchronousUpdatesReadTheValueThatHidesTheStoredOne() async throws {
        let stored = InMemoryKVStore()
        let arguments = InMemoryKVStore(arguments: ["-key", "8"])
        let store = ReactiveKVStore(LayeredKVStore(arguments, stored))
        try await store.update(key) { value in
            await Task.yield()
            value += 1
        }
        #expect(stored.get(key) == 9)
        #expect(store.get(key) == 8)
        #expect(!ReactiveKVStore(LayeredKVStore(arguments, InMemoryKVStore())).contains(key))
    }

    @Test(.timeLimit(.minutes(10)))
    func streamsGiveWhatReadsGive() async throws {
        let top = InMemoryKVStore()
        let stored = InMemoryKVStore()
        let scope = LayeredKVStore(top, stored).scoped(to: "a.")
        var values = ReactiveKVStore(scope).stream(key).makeAsyncIterator()
        #expect(await values.next() == 0)
        try scope.set(key, value: 1)
        try top.setStoredValue(2, for: "a.key")
        try scope.set(key, value: 3)
        try top.removeAll()
        for expected in 1...3 { #expect(await values.next() == expected) }
    }
}
