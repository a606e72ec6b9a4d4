import KVStoreReactive
import Observation
import Testing

@Suite("KVHandle")
struct SettingsHandleTests {
    private let store = InMemoryKVStore()
    private let nickname = KVKey<String>("nickname")

    @Test func setsUpdatesAndRemoves() throws {
        let settings = PlainSettings(store)
        try settings.$launchCount.set(3)
        #expect(
            try settings.$launchCount.update { count in
                count += 1; return count
            } == 4
        )
        try settings.$nickname.update { $0 = "Ada" }
        #expect(settings.$nickname.value == "Ada")
        settings.$nickname.value?.append("!")
        #expect(store.get(nickname) == "Ada!")
        #expect(settings.$nickname.contains())
        try settings.$nickname.remove()
        #expect(!settings.$nickname.contains())
        try settings.$nickname.set("Grace")
        try settings.$nickname.set(nil)
        #expect(store.storedValues() == ["launchCount": 4])
    }

    @Test func isMadeOverAKey() throws {
        let reactive = ReactiveKVStore(store)
        let name = KVHandle(nickname, in: reactive)
        let limit = KVHandle(KVKey<Int?>("limit"), in: reactive)
        name.value = "Ada"
        try limit.set(2)
        #expect(store.storedValues() == ["nickname": "Ada", "limit": 2])
        limit.value = nil
        #expect(!limit.contains())
    }

    @Test func aControlNeverReplacesWhatCannotBeRead() throws {
        let count = KVHandle(KVDefaultKey("count", default: 0), in: ReactiveKVStore(store))
        try store.setStoredValue("many", for: "count")
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) {
            ControlWrite.run { count.value = 1 }
        }
        #expect(errors.add(0) == 1)
        #expect(store.storedValues() == ["count": "many"])
        count.value = 2
        #expect(store.storedValues() == ["count": 2])
    }

    @Test func holdsAnExplicitNil() throws {
        let settings = PlainSettings(store)
        try settings.$limit.set(nil)
        #expect(settings.$limit.contains())
        #expect(settings.$limit.value == nil)
        try settings.$limit.update { limit in
            #expect(limit == nil)
            limit = 4
        }
        #expect(settings.limit == 4)
        try settings.$limit.remove()
        #expect(settings.$limit.value == 10)
    }

    @Test func updatesWithAnAsynchronousBody() async throws {
        let settings = PlainSettings(store)
        try await settings.$nickname.update { name in
            await Task.yield()
            name = (name ?? "") + "x"
        }
        #expect(settings.nickname == "x")
    }

    @Test func anUpdateLeavesWhatCannotBeRead() throws {
        let settings = PlainSettings(store)
        try store.setStoredValue("many", for: "launchCount")
        #expect(throws: DecodingError.self) { try settings.$launchCount.update { $0 += 1 } }
        #expect(store.storedValues() == ["launchCount": "many"])
        #expect(settings.$launchCount.contains())
        try settings.$launchCount.set(1)
        #expect(settings.launchCount == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func streamsValuesAndChanges() async throws {
        let settings = PlainSettings(store)
        var names = settings.$nickname.stream().makeAsyncIterator()
        var limits = settings.$limit.stream(initial: false).makeAsyncIterator()
        var changes = settings.$launchCount.changes().makeAsyncIterator()
        #expect(await names.next() == .some(nil))
        try store.set(nickname, value: "Ada")
        settings.limit = nil
        settings.launchCount += 1
        #expect(await names.next() == "Ada")
        #expect(await limits.next() == .some(nil))
        let change = try #require(await changes.next())
        #expect(change.old == 0)
        #expect(change.new == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func aStreamOutlivesTheObjectAndEndsWithTheDomain() async throws {
        var store: InMemoryKVStore? = InMemoryKVStore()
        var names = PlainSettings(try #require(store)).$nickname.stream().makeAsyncIterator()
        #expect(await names.next() == .some(nil))
        try store?.set(nickname, value: "Ada")
        #expect(await names.next() == "Ada")
        store = nil
        #expect(await names.next() == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func aHandleKeepsItsStore() async throws {
        let handle = PlainSettings(InMemoryKVStore()).$nickname
        var names = handle.stream().makeAsyncIterator()
        try handle.set("Ada")
        #expect(await names.next() == .some(nil))
        #expect(await names.next() == "Ada")
        #expect(handle.value == "Ada")
    }

    @Test func readingIsTracked() throws {
        let settings = PlainSettings(store)
        let changes = Counter()
        withObservationTracking {
            _ = settings.$nickname.value
        } onChange: {
            changes.add(1)
        }
        try store.set(nickname, value: "Ada")
        #expect(changes.add(0) == 1)
    }
}
