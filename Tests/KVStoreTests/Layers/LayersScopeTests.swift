import KVStore
import Testing

@Suite("KVStoring.scoped(to:)")
struct LayersScopeTests {
    private let store = InMemoryKVStore()
    private let key = KVKey<Int>("key")

    @Test func aPrefixIsABoundary() throws {
        let scope = store.scoped(to: "app.")
        for name in ["app.", "app", "app.b", "apq.key", "key"] {
            try store.setStoredValue("outside", for: name)
        }
        try scope.set(key, value: 1)
        #expect(store.get(KVKey<Int>("app.key")) == 1)
        #expect(try scope.storedValues() == ["key": 1, "b": "outside"])
        #expect(try scope.keys().sorted() == ["b", "key"])
        #expect(scope.contains(key))
        #expect(!scope.contains(KVKey<Int>("app.key")))
        try scope.transaction { t in
            #expect(try t.storedValues() == ["key": 1, "b": "outside"])
            #expect(t.contains(key))
            #expect(!t.contains(KVKey<Int>("app.key")))
            try t.set(key, value: 2)
            try t.transaction { try $0.remove(KVKey<Int>("b")) }
        }
        try scope.update(key) { $0 = ($0 ?? 0) + 1 }
        #expect(try scope.storedValues() == ["key": 3])
        try scope.removeAll()
        #expect(Set(store.storedValues().keys) == ["app.", "app", "apq.key", "key"])
    }

    @Test func scopesNestAndAnEmptyPrefixIsTheWholeStore() throws {
        let inner = store.scoped(to: "a.").scoped(to: "b.")
        try inner.set(key, value: 1)
        try store.scoped(to: "").set(key, value: 2)
        #expect(store.storedValues() == ["a.b.key": 1, "key": 2])
        #expect(try store.scoped(to: "a.").storedValues() == ["b.key": 1])
        #expect(inner.get(key) == 1)
    }

    @Test func namesAreLegalWithAndWithoutThePrefix() throws {
        let scope = store.scoped(to: "app.")
        try store.setStoredValue(1, for: "app.")
        let tooLong = String(repeating: "k", count: 4093)
        for name in ["", tooLong, "\u{FEFF}a", "a\u{0}"] {
            #expect(try scope.storedValue(for: name) == nil)
            let error = #expect(throws: KVStoreError.self) {
                try scope.setStoredValue(2, for: name)
            }
            #expect(error?.code == .invalidKey)
            #expect(error?.key == name)
        }
        try scope.setStoredValue(2, for: String(tooLong.dropLast()))
        #expect(store.scoped(to: "a\u{0}").get(key) == nil)
        #expect(throws: KVStoreError.self) { try store.scoped(to: "a\u{0}").set(key, value: 1) }
    }

    @Test func anotherSpellingOfThePrefixIsTheSameScope() throws {
        try store.setStoredValue(1, for: "cafe\u{301}.key")
        let scope = store.scoped(to: "caf\u{E9}.")
        #expect(scope.get(key) == 1)
        #expect(try scope.storedValues() == ["key": 1])
        try scope.removeAll()
        #expect(store.storedValues() == [:])
        // A mark that would join the last character of the prefix is a key of the scope.
        try store.scoped(to: "a.").setStoredValue(1, for: "\u{301}")
        #expect(try store.scoped(to: "a.").storedValues() == ["\u{301}": 1])
    }

    @Test func aWriteThroughAnyScopeOfTheDomainIsRefusedInsideABody() throws {
        let scope = store.scoped(to: "app.")
        let other = store.scoped(to: "app.").scoped(to: "b.")
        for outer in [store, scope, other] as [any KVStoring] {
            try outer.transaction { t in
                for inner in [store, scope, other] as [any KVStoring] {
                    let writes: [() throws -> Void] = [
                        { try inner.set(key, value: 1) }, { try inner.update(key) { $0 = 1 } },
                        { try inner.removeAll() }, { try inner.transaction { _ in } },
                    ]
                    for write in writes {
                        let error = #expect(throws: KVStoreError.self, performing: write)
                        #expect(error?.code == .nestedWrite)
                    }
                }
            }
        }
        #expect(store.storedValues() == [:])
    }

    @Test func aTransactionOfAScopeIsOneOfTheStore() throws {
        struct Refusal: Error {}
        let scope = store.scoped(to: "app.")
        var leaked: KVTransaction?
        #expect(throws: Refusal.self) {
            try scope.transaction { t in
                leaked = t
                try t.set(key, value: 1)
                throw Refusal()
            }
        }
        #expect(store.storedValues() == [:])
        let error = #expect(throws: KVStoreError.self) { try leaked?.set(key, value: 1) }
        #expect(error?.code == .transactionEnded)
        #expect(leaked?.contains(key) == false)
    }

    @Test func writersOutsideDoNotMakeABodyRunAgain() throws {
        let scope = store.scoped(to: "app.")
        var runs = 0
        try scope.transaction { t in
            runs += 1
            #expect(t.get(key) == nil)
            onAnotherThread { store[KVKey<Int>("outside")] = 1 }
            try t.set(key, value: 1)
        }
        #expect(runs == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func commitsAreThoseOfTheScopeAndAreCountedThere() async throws {
        let scope = store.scoped(to: "app.")
        let feed = try #require(scope.feed)
        let all = feed.subscribe(to: nil, initial: true, bufferingPolicy: .unbounded)
        let one = feed.subscribe(to: ["key"], initial: true, bufferingPolicy: .unbounded)
        #expect(await all.next()?.commit == nil)
        #expect(await one.next()?.values == [nil])
        try store.set(key, value: 0)
        try scope.set(key, value: 1)
        try store.transaction { t in
            try t.set(key, value: 2)
            try t.setStoredValue(3, for: "app.other")
        }
        try store.removeAll()
        let first = try #require(await all.next()?.commit)
        let second = try #require(await all.next()?.commit)
        let third = try #require(await all.next()?.commit)
        #expect(first.changes.map(\.name) == ["key"])
        #expect(second.changes.map(\.name) == ["other"])
        #expect(Set(third.changes.map(\.name)) == ["key", "other"])
        #expect(second.sequence == first.sequence + 1)
        #expect(third.sequence == first.sequence + 2)
        let delivery = try #require(await one.next())
        #expect(delivery.values == [1])
        #expect(delivery.commit?.sequence == first.sequence)
        #expect(await one.next()?.commit?.sequence == third.sequence)
    }

    @Test func nothingIsFollowedOnceNobodyObserves() throws {
        let domain = MemoryDomain()
        let scope = DomainStore(domain).scoped(to: "app.")
        let feed = try #require(scope.feed)
        for round in 0..<50 {
            let names: [String]? = round.isMultiple(of: 2) ? ["key"] : nil
            let subscription = feed.subscribe(
                to: names,
                initial: true,
                bufferingPolicy: .unbounded
            )
            let handler = feed.observe(["other"]) { _ in }
            #expect(domain.subscriptionCount == 1)
            subscription.cancel()
            handler.cancel()
            #expect(domain.subscriptionCount == 0)
        }
    }
}

/// A store over a domain whose subscriptions can be counted.
private struct DomainStore: KVStoring {
    let domain: MemoryDomain
    private let handle = HandleID()

    init(_ domain: MemoryDomain) {
        self.domain = domain
    }

    var feed: (any KVFeed)? { DomainFeed(domain, handle: handle) }

    func storedValue(for name: String) -> PropertyListValue? { domain.storedValue(for: name) }
    func storedValues() -> [String: PropertyListValue] { domain.storedValues() }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try domain.set(value, for: name, by: handle)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    func flush() {}
}
