import KVStoreReactive
import Observation
import Testing

@Suite("KVObservedValue")
struct KVObservedValueTests {
    private let base: any KVStoring = InMemoryKVStore()
    private let count = KVDefaultKey("count", default: 0)
    private let name = KVKey<String?>("name")

    @Test(arguments: StoreKind.allCases)
    func followsWhoeverWrites(kind: StoreKind) throws {
        let store = ReactiveKVStore(kind.make())
        let cell = KVObservedValue(count, in: store)
        #expect(cell.value == 0)
        try store.set(count, value: 1)
        #expect(cell.value == 1)
        try store.transaction { t in t[count] += 5 }
        #expect(cell.value == 6)
        try store.removeAll()
        #expect(cell.value == 0)
        cell.value = 9
        #expect(store.get(count) == 9)
        #expect(cell.value == 9)
    }

    @Test func optionalKeysReadAndRemove() throws {
        let store = ReactiveKVStore(base)
        let cell: KVObservedValue<String?> = KVObservedValue(name, in: store)
        #expect(cell.value == nil)
        cell.value = "Ada"
        #expect(cell.value == "Ada")
        cell.value?.append("!")
        #expect(store.get(name) == "Ada!")
        cell.value = nil
        #expect(!store.contains(name))
    }

    @Test func tellsItsObserversOncePerChange() throws {
        let store = ReactiveKVStore(base)
        let cell = KVObservedValue(count, in: store)
        let changes = Counter()
        func track() {
            withObservationTracking {
                _ = cell.value
            } onChange: {
                changes.add(1)
            }
        }
        track()
        try base.set(KVKey<Int>("other"), value: 1)
        try base.set(count, value: 0)
        #expect(changes.add(0) == 1)
        track()
        try base.set(count, value: 0)
        #expect(changes.add(0) == 1)
        try base.set(count, value: 2)
        try base.set(count, value: 3)
        #expect(changes.add(0) == 2)
        track()
        cell.value = 4
        #expect(changes.add(0) == 3)
    }

    @Test func anUndecodableValueGivesTheFallback() throws {
        let store = ReactiveKVStore(base)
        let cell = KVObservedValue(count, in: store)
        try base.setStoredValue("many", for: "count")
        #expect(cell.value == 0)
        try base.set(count, value: 2)
        #expect(cell.value == 2)
    }

    @Test func anObserverThatReadsAtOnceGetsTheNewValue() throws {
        let store = ReactiveKVStore(base)
        let cell = KVObservedValue(count, in: store)
        let seen = Counter()
        @Sendable func track() {
            let value = withObservationTracking {
                cell.value
            } onChange: {
                track()
            }
            seen.add(value - seen.add(0))
        }
        track()
        for number in 1...5 { try store.set(count, value: number) }
        #expect(seen.add(0) == 5)
    }

    @Test func aChangeInPlaceNeverReplacesWhatCannotBeRead() throws {
        let store = ReactiveKVStore(base)
        let cell = KVObservedValue(count, in: store)
        try base.setStoredValue("many", for: "count")
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) { cell.value += 1 }
        #expect(try store.storedValue(for: "count") == "many")
        #expect(errors.add(0) == 1)
        cell.value = 1
        cell.value += 1
        #expect(cell.value == 2)
    }

    @Test func aFailedWriteKeepsTheValueAndReports() throws {
        struct Refusing: KVBackend {
            func read(_ name: String) -> PropertyListValue? { 7 }
            func readAll() -> [String: PropertyListValue] { ["count": 7] }
            func commit(
                expecting: KVExpectation,
                changes: [String: PropertyListValue?]
            ) throws -> Bool {
                throw KVStoreError(.unwritable, reason: "It always is.")
            }
            func flush() {}
        }
        let cell = KVObservedValue(count, in: ReactiveKVStore(BackendKVStore(Refusing())))
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) { cell.value = 8 }
        #expect(cell.value == 7)
        #expect(errors.add(0) == 1)
    }

    @Test func concurrentWritersLeaveTheNewestValue() async throws {
        let store = ReactiveKVStore(base)
        let cell = KVObservedValue(count, in: store)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<300 {
                        try store.update(count) { $0 += 1 }
                        #expect(cell.value > 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(cell.value == 1200)
    }

    @Test func itEndsWithItsLastReference() throws {
        let store = ReactiveKVStore(base)
        weak var released: KVObservedValue<Int>?
        do {
            let cell = KVObservedValue(count, in: store)
            released = cell
            #expect(cell.value == 0)
        }
        #expect(released == nil)
        try store.set(count, value: 1)
    }
}
