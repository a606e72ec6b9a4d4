import KVStoreReactive
import Testing

private struct Point: Codable, Equatable, Sendable {
    var x: Int
    var y: Int
}

@Suite("Streams")
struct StreamTests {
    private let count = KVDefaultKey("count", default: 0)
    private let name = KVKey<String?>("name")
    private let point = KVKey<Point>("a.point")

    @Test(arguments: StoreKind.allCases)
    func givesThePresentValueThenEachChange(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        try store.set(point, value: Point(x: 0, y: 0))
        var points = store.stream(point).makeAsyncIterator()
        try store.set(point, value: Point(x: 1, y: 0))
        try store.set(point, value: Point(x: 1, y: 0))
        try store.remove(point)
        try store.remove(point)
        try store.update(point) { $0 = Point(x: 2, y: 2) }
        #expect(await points.next() == Point(x: 0, y: 0))
        #expect(await points.next() == Point(x: 1, y: 0))
        #expect(await points.next() == .some(nil))
        #expect(await points.next() == Point(x: 2, y: 2))
    }

    @Test(arguments: StoreKind.allCases)
    func readingGivesTheTypeOfTheKey(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        var counts = store.stream(count).makeAsyncIterator()
        var names = store.stream(name).makeAsyncIterator()
        try store.set(count, value: 2)
        try store.set(name, value: "Ada")
        let first: Int? = await counts.next()
        #expect(first == 0)
        #expect(await counts.next() == 2)
        let absent: String?? = await names.next()
        #expect(absent == .some(nil))
        #expect(await names.next() == "Ada")
    }

    @Test func leavesTheInitialValueOut() async throws {
        let store = ReactiveKVStore(InMemoryKVStore())
        try store.set(count, value: 1)
        var counts = store.stream(count, initial: false).makeAsyncIterator()
        try store.set(count, value: 2)
        #expect(await counts.next() == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func aSlowConsumerFindsWhatItsPolicyKept(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        var all = store.stream(count).makeAsyncIterator()
        var newest = store.stream(count, bufferingPolicy: .bufferingNewest(3)).makeAsyncIterator()
        var oldest = store.stream(count, bufferingPolicy: .bufferingOldest(3)).makeAsyncIterator()
        for number in 1...50 { try store.set(count, value: number) }
        for expected in 0...50 { #expect(await all.next() == expected) }
        for expected in 48...50 { #expect(await newest.next() == expected) }
        for expected in 0...2 { #expect(await oldest.next() == expected) }
        // Whoever has caught up gets what follows.
        try store.set(count, value: 51)
        #expect(await all.next() == 51)
        #expect(await newest.next() == 51)
        #expect(await oldest.next() == 51)
    }

    @Test(arguments: StoreKind.allCases)
    func otherKeysGiveNothing(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        var counts = store.stream(count).makeAsyncIterator()
        var changes = store.changes(count).makeAsyncIterator()
        for number in 0..<100 { try store.set(KVKey<Int>("other"), value: number) }
        try store.transaction { t in
            for number in 0..<100 { try t.set(KVKey<Int>("other \(number)"), value: number) }
        }
        try store.set(count, value: 1)
        #expect(await counts.next() == 0)
        #expect(await counts.next() == 1)
        #expect(await changes.next()?.new == 1)
    }

    @Test func undecodableValuesGiveTheFallbackAndDoNotEndIt() async throws {
        let base = InMemoryKVStore()
        let store = ReactiveKVStore(base)
        var counts = store.stream(count, initial: false).makeAsyncIterator()
        var changes = store.changes(count).makeAsyncIterator()
        try store.set(count, value: 4)
        try base.setStoredValue("four", for: "count")
        try store.set(count, value: 5)
        #expect(await counts.next() == 4)
        #expect(await counts.next() == 0)
        #expect(await counts.next() == 5)
        _ = await changes.next()
        let undecodable = try #require(await changes.next())
        #expect(undecodable.old == 4)
        #expect(undecodable.new == 0)
        #expect(undecodable.newError != nil)
        let readable = try #require(await changes.next())
        #expect(readable.old == 0)
        #expect(readable.new == 5)
        #expect(readable.newError == nil)
    }

    @Test func tuplesHaveTheNewestOfEachKeyOncePerCommit() async throws {
        let store = ReactiveKVStore(InMemoryKVStore())
        var values = store.stream(count, point, name).makeAsyncIterator()
        try store.set(count, value: 1)
        try store.transaction { t in
            try t.set(count, value: 2)
            try t.set(point, value: Point(x: 1, y: 1))
            try t.set(name, value: "Ada")
        }
        try store.remove(point)
        let first = try #require(await values.next())
        #expect(first.0 == 0 && first.1 == nil && first.2 == nil)
        let second = try #require(await values.next())
        #expect(second.0 == 1)
        let third = try #require(await values.next())
        #expect(third.0 == 2 && third.1 == Point(x: 1, y: 1))
        #expect((third.2 ?? nil) == "Ada")
        let fourth = try #require(await values.next())
        #expect(fourth.0 == 2 && fourth.1 == nil)
    }

    @Test func tuplesMayNameAKeyTwice() async throws {
        let store = ReactiveKVStore(InMemoryKVStore())
        var values = store.stream(count, count, initial: false).makeAsyncIterator()
        try store.set(count, value: 3)
        let pair = try #require(await values.next())
        #expect(pair.0 == 3 && pair.1 == 3)
    }

    @Test func changesTellOldNewAndWhoMadeThem() async throws {
        let base = InMemoryKVStore()
        let store = ReactiveKVStore(base)
        var changes = store.changes(name).makeAsyncIterator()
        try store.set(name, value: "Ada")
        try store.set(name, value: "Grace")
        try base.removeAll()
        let first = try #require(await changes.next())
        #expect(first.old == nil && first.new == "Ada")
        let second = try #require(await changes.next())
        #expect(second.old == "Ada" && second.new == "Grace")
        let third = try #require(await changes.next())
        #expect(third.old == "Grace" && third.new == nil)
        #expect(third.commit.sequence == first.commit.sequence + 2)
        guard case .thisStore = third.commit.origin else {
            Issue.record("\(third.commit.origin)")
            return
        }
    }

    @Test(arguments: StoreKind.allCases)
    func removeAllIsOneCommitWithEachKeyOnce(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        try store.set(count, value: 1)
        try store.set(name, value: "Ada")
        try store.setStoredValue(true, for: "x.y")
        var commits = store.changes().makeAsyncIterator()
        var counts = store.stream(count).makeAsyncIterator()
        var points = store.stream(point).makeAsyncIterator()
        try store.removeAll()
        try store.removeAll()
        try store.set(count, value: 2)
        try store.set(point, value: Point(x: 1, y: 1))
        for expected in [1, 0, 2] { #expect(await counts.next() == expected) }
        for expected in [nil, Point(x: 1, y: 1)] { #expect(await points.next() == expected) }
        let removal = try #require(await commits.next())
        #expect(Set(removal.changes.map(\.name)) == ["count", "name", "x.y"])
        #expect(removal.changes.allSatisfy { $0.new == nil && $0.old != nil })
        let next = try #require(await commits.next())
        #expect(next.sequence == removal.sequence + 1)
        #expect(next.changes.map(\.name) == ["count"])
    }

    @Test(arguments: ["a.b", "@avg.x", "a/b", "é", "$null", " "])
    func everySpellingOfAKeyIsObserved(spelling: String) async throws {
        let store = ReactiveKVStore(InMemoryKVStore())
        var values = store.stream(KVKey<Int>(spelling)).makeAsyncIterator()
        try store.set(KVKey<Int>(spelling), value: 1)
        #expect(await values.next() == .some(nil))
        #expect(await values.next() == 1)
    }

    @Test func aStreamOutlivesTheReactiveStoreAndEndsWithTheDomain() async throws {
        var base: InMemoryKVStore? = InMemoryKVStore()
        var counts: AsyncStream<Int>.AsyncIterator?
        do {
            let store = ReactiveKVStore(try #require(base))
            counts = store.stream(count).makeAsyncIterator()
        }
        try base?.set(count, value: 1)
        base = nil
        #expect(await counts?.next() == 0)
        #expect(await counts?.next() == 1)
        #expect(await counts?.next() == nil)
    }

    @Test func cancellingTheTaskEndsTheStream() async throws {
        let store = ReactiveKVStore(InMemoryKVStore())
        let started = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var seen = 0
            for await _ in store.stream(count) {
                seen += 1
                started.continuation.yield()
            }
            return seen
        }
        var iterator = started.stream.makeAsyncIterator()
        _ = await iterator.next()
        task.cancel()
        #expect(await task.value == 1)
    }
}
