import KVStore
import Testing

@Suite("LayeredKVStore")
struct LayersTests {
    private let workers = KVDefaultKey("workers", default: 4)
    private let other = KVDefaultKey("other", default: 0)
    private let top = InMemoryKVStore()
    private let stored = InMemoryKVStore()
    private let defaults = InMemoryKVStore()
    private var store: LayeredKVStore { LayeredKVStore(top, stored, defaults: defaults) }

    @Test func theFirstLayerWithAValueGivesIt() throws {
        let store = store
        #expect(store.get(workers) == 4)
        #expect(try store.layer(of: workers) == nil)
        for (index, layer) in [defaults, stored, top].enumerated() {
            try layer.set(workers, value: index + 10)
            #expect(store.get(workers) == index + 10)
            #expect(try store.value(for: workers) == index + 10)
            #expect(try store.transaction { $0.get(workers) } == index + 10)
            #expect(try store.layer(of: workers) == 2 - index)
        }
    }

    @Test func theLastUnnamedLayerIsWritten() throws {
        try store.set(workers, value: 1)
        try store.transaction { try $0.set(other, value: 2) }
        #expect(stored.storedValues() == ["workers": 1, "other": 2])
        #expect(top.storedValues() == [:])
        #expect(defaults.storedValues() == [:])
        let only = LayeredKVStore(stored)
        try only.set(other, value: 3)
        #expect(stored.get(other) == 3)
        let refused = LayeredKVStore(stored, InMemoryKVStore(arguments: []))
        #expect(throws: KVStoreError.self) { try refused.set(other, value: 4) }
        #expect(stored.get(other) == 3)
    }

    @Test func listingsSpeakOfTheLayerThatIsWritten() throws {
        try top.set(workers, value: 1)
        try defaults.set(other, value: 2)
        let injected: any KVStoring = store
        #expect(try injected.keys() == [])
        #expect(!injected.contains(workers))
        #expect(!injected.contains(other))
        #expect(!injected.scoped(to: "").contains(other))
        try injected.transaction { t in
            #expect(!t.contains(workers))
            #expect(try t.keys() == [])
            try t.set(other, value: 5)
            #expect(t.contains(other))
        }
        #expect(injected.contains(other))
        #expect(try injected.storedValues() == ["other": 5])
        try injected.removeAll()
        #expect(try injected.keys() == [])
        #expect(injected.get(workers) == 1)
        #expect(injected.get(other) == 2)
    }

    @Test func aValueHiddenByAnArgumentIsStoredAndNotSeen() throws {
        try stored.set(workers, value: 2)
        let store = LayeredKVStore(InMemoryKVStore(arguments: ["-workers", "8"]), stored)
        try store.set(workers, value: 3)
        #expect(store.get(workers) == 8)
        #expect(stored.get(workers) == 3)
        try store.transaction { t in
            #expect(t.get(workers) == 8)
            try t.set(workers, value: 5)
            #expect(t.get(workers) == 5)
            try t.transaction { #expect($0.get(workers) == 5) }
            try t.remove(workers)
            #expect(t.get(workers) == 8)
        }
        #expect(stored.storedValues() == [:])
        #expect(store.get(workers) == 8)
        try stored.update(workers) { $0 += 1 }
        #expect(stored.get(workers) == 5)
    }

    @Test func aValueThatCannotBeReadHidesTheNextLayers() throws {
        try top.setStoredValue("many", for: "workers")
        try stored.set(workers, value: 2)
        #expect(store.get(workers) == 4)
        #expect(throws: DecodingError.self) { try store.value(for: workers) }
        #expect(throws: DecodingError.self) { try store.update(workers) { $0 += 1 } }
        #expect(stored.get(workers) == 2)
    }

    @Test func aLayerThatCannotBeReadIsAnError() throws {
        struct Failure: Error {}
        struct Unreadable: KVBackend {
            func read(_ name: String) throws -> PropertyListValue? { throw Failure() }
            func readAll() throws -> [String: PropertyListValue] { throw Failure() }
            func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) -> Bool {
                true
            }
            func flush() {}
        }
        let store = LayeredKVStore(stored, defaults: BackendKVStore(Unreadable()))
        try store.set(workers, value: 1)
        #expect(try store.value(for: workers) == 1)
        #expect(throws: Failure.self) { try store.value(for: other) }
        #expect(throws: Failure.self) { try store.layer(of: other) }
    }

    @Test(.timeLimit(.minutes(10)))
    func changesAreOfWhatReadsGive() async throws {
        try defaults.set(workers, value: 1)
        let store = store
        let feed = try #require(store.feed)
        let one = feed.subscribe(to: ["workers"], initial: true, bufferingPolicy: .unbounded)
        let all = feed.subscribe(to: nil, initial: false, bufferingPolicy: .unbounded)
        try store.set(workers, value: 2)
        try top.set(workers, value: 3)
        try store.set(workers, value: 4)  // Hidden.
        try defaults.set(workers, value: 5)  // Hidden twice.
        try top.remove(workers)
        try stored.remove(workers)
        try top.set(workers, value: 5)  // Gives what the defaults gave.
        try store.transaction { t in
            try t.set(workers, value: 6)
            try t.set(other, value: 7)
        }
        try store.removeAll()
        try top.removeAll()
        try defaults.removeAll()
        let expected: [PropertyListValue?] = [1, 2, 3, 4, 5, nil]
        var sequences: [UInt64] = []
        for (old, new) in zip([nil] + expected, expected) {
            let delivery = try #require(await one.next())
            #expect(delivery.values == [new])
            guard let commit = delivery.commit else { continue }
            #expect(commit.change(of: "workers")?.old == old)
            #expect(commit.change(of: "workers")?.new == new)
            sequences.append(commit.sequence)
        }
        var changes: [[String]] = []
        var counted: [UInt64] = []
        while counted.last != sequences.last {
            let commit = try #require(await all.next()?.commit)
            changes.append(commit.changes.map(\.name))
            counted.append(commit.sequence)
        }
        #expect(counted == Array(counted[0]..<counted[0] + UInt64(counted.count)))
        #expect(
            changes == [
                ["workers"], ["workers"], ["workers"], ["workers"], ["other"], ["other"],
                ["workers"],
            ]
        )
    }

    @Test(.timeLimit(.minutes(10)))
    func subscriptionsEndWithTheLayerThatIsWritten() async throws {
        let subscription = try {
            let store = LayeredKVStore(InMemoryKVStore(arguments: []), InMemoryKVStore())
            let feed = try #require(store.feed)
            let subscription = feed.subscribe(
                to: ["workers"],
                initial: false,
                bufferingPolicy: .unbounded
            )
            try store.set(workers, value: 1)
            return subscription
        }()
        #expect(await subscription.next()?.values == [1])
        #expect(await subscription.next() == nil)
    }

    /// Several layers change while subscriptions come and go; each must give the changes in order
    /// and end on what a read gives.
    @Test(.timeLimit(.minutes(10)))
    func racesLoseNothing() async throws {
        let store = store
        let feed = try #require(store.feed)
        let rounds = 300
        let writers = [top, stored, defaults].enumerated().map { index, layer in
            Task.detached {
                for round in 0..<rounds {
                    let value = Int64(round * 3 + index)
                    let isRemoval = round % 4 == index && index < 2
                    try layer.setStoredValue(isRemoval ? nil : .integer(value), for: "workers")
                }
                try layer.setStoredValue(.integer(Int64(-1 - index)), for: "workers")
            }
        }
        let checks = (0..<4).map { _ in
            Task {
                while true {
                    let subscription = feed.subscribe(
                        to: ["workers"],
                        initial: true,
                        bufferingPolicy: .unbounded
                    )
                    var last = try #require(await subscription.next()).values[0]
                    var sequence: UInt64 = 0
                    for _ in 0..<20 where last != -1 {
                        let delivery = try #require(await subscription.next())
                        let change = try #require(delivery.commit?.change(of: "workers"))
                        #expect(change.old == last)
                        #expect(change.new == delivery.values[0])
                        #expect(change.old != change.new)
                        if sequence > 0 { #expect(delivery.commit?.sequence == sequence + 1) }
                        sequence = delivery.commit?.sequence ?? 0
                        last = change.new
                    }
                    if last == -1 { return }
                }
            }
        }
        for writer in writers { try await writer.value }
        for check in checks { try await check.value }
        #expect(store.get(workers) == -1)
    }
}
