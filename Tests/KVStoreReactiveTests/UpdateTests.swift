import KVStoreReactive
import TestSupport
import Testing

@Suite("Asynchronous updates")
struct UpdateTests {
    private let store = ReactiveKVStore(InMemoryKVStore())
    private let count = KVDefaultKey("count", default: 0)
    private let name = KVKey<String?>("name")

    @Test func theSynchronousSpellingStaysSynchronous() async throws {
        try store.update(count) { $0 += 1 }
        try store.update(name) { $0 = "Ada" }
        let result = try store.update(count) { value in
            value += 1
            return value * 10
        }
        #expect(result == 20)
    }

    @Test func anAsynchronousBodyStoresItsValue() async throws {
        try await store.update(count) { value in
            await Task.yield()
            value += 1
        }
        let length = try await store.update(name) { value in
            await Task.yield()
            value = "Ada"
            return 3
        }
        #expect(length == 3)
        #expect(store.get(count) == 1)
        #expect(store.get(name) == "Ada")
    }

    @Test func updatesRunOneAtATime() async throws {
        let inside = Counter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await store.update(count) { value in
                        #expect(inside.add(1) == 1)
                        await Task.yield()
                        value += 1
                        inside.add(-1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.get(count) == 50)
    }

    @Test func aWriteInBetweenRunsTheBodyAgain() async throws {
        let runs = Counter()
        try await store.update(count) { value in
            if runs.add(1) == 1 { try store.set(count, value: 10) }
            await Task.yield()
            value += 1
        }
        #expect(runs.add(0) == 2)
        #expect(store.get(count) == 11)
    }

    @Test func aWriteBeneathAStoreThatDoesNotObserveIsAConflictInABody() throws {
        let base = UnobservedKVStore(InMemoryKVStore())
        let store = ReactiveKVStore(base)
        let runs = Counter()
        try store.update(count) { value in
            if runs.add(1) == 1 { try base.set(count, value: 10) }
            value += 1
        }
        #expect(runs.add(0) == 2)
        #expect(store.get(count) == 11)
    }

    @Test func aCancelledUpdateChangesNothing() async throws {
        let hasStarted = AsyncStream.makeStream(of: Void.self)
        let mayEnd = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await store.update(count) { value in
                hasStarted.continuation.yield()
                for await _ in mayEnd.stream { break }
                value += 1
            }
        }
        for await _ in hasStarted.stream { break }
        let waiting = Task { try await store.update(count) { $0 += await Self.hundred() } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        first.cancel()
        mayEnd.continuation.yield()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(!store.contains(count))
        try await store.update(count) { $0 += await Self.hundred() }
        #expect(store.get(count) == 100)
    }

    @Test func aThrowingBodyChangesNothingAndLetsTheNextIn() async throws {
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) {
            try await store.update(count) { value in
                value = await Self.hundred()
                throw Refusal()
            }
        }
        #expect(!store.contains(count))
        try await store.update(count) { $0 = await Self.hundred() }
        #expect(store.get(count) == 100)
    }

    @Test func anUpdateInsideAnUpdateIsRefused() async throws {
        try await store.update(count) { value in
            let error = await #expect(throws: KVStoreError.self) {
                try await store.update(name) { $0 = await Self.text() }
            }
            #expect(error?.code == .nestedWrite)
            let other = ReactiveKVStore(InMemoryKVStore())
            try await other.update(count) { $0 = await Self.hundred() }
            value += other.get(count)
        }
        #expect(store.get(count) == 100)
        #expect(store.get(name) == nil)
    }

    @Test func anUndecodableValueIsLeftAlone() async throws {
        try store.setStoredValue("many", for: "count")
        await #expect(throws: DecodingError.self) {
            try await store.update(count) { $0 = await Self.hundred() }
        }
        #expect(try store.storedValue(for: "count") == "many")
    }

    @MainActor
    @Test func theBodyRunsWhereItsCallerDoes() async throws {
        var calls = 0
        try await store.update(count) { value in
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            calls += 1
            value = calls
        }
        #expect(store.get(count) == 1)
    }

    private static func hundred() async -> Int { 100 }
    private static func text() async -> String { "x" }
}
