import KVStoreReactive
import Testing

@Suite("Races")
struct RaceTests {
    private let count = KVDefaultKey("count", default: 0)

    /// Writers, subscribers and cancellations at once: each stream is in order, without a repeat,
    /// and ends on the final value.
    @Test(arguments: StoreKind.allCases)
    func subscribersThatRaceAWriterSeeEveryValueAndTheLast(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        let last = 20
        for _ in 0..<150 {
            try store.removeAll()
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        var previous = -1
                        for await value in store.stream(count) {
                            #expect(value == previous + 1 || previous == -1)
                            #expect(store.get(count) >= value)
                            previous = value
                            if value == last { return }
                        }
                        Issue.record("The stream ended before the final value.")
                    }
                }
                group.addTask {
                    for value in 1...last { try store.set(count, value: value) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func severalWritersGiveOneOrder(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        let total = 400
        async let first = collect(total, from: store)
        async let second = collect(total, from: store)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<(total / 4) { try store.update(count) { $0 += 1 } }
                }
            }
            try await group.waitForAll()
        }
        let (one, two) = await (first, second)
        #expect(one.last == total && two.last == total)
        #expect(zip(one, one.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(zip(two, two.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    private func collect(_ last: Int, from store: ReactiveKVStore) async -> [Int] {
        var values: [Int] = []
        for await value in store.stream(count) {
            values.append(value)
            if value == last { break }
        }
        return values
    }

    /// What deadlocks a store that yields under its lock: cancelling takes the task's lock and
    /// then the store's, delivering the store's and then the task's.
    @Test(arguments: StoreKind.allCases)
    func cancellingConsumersWhileAThreadWritesFlatOutEnds(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        let isOver = Flag()
        async let writer: Void = onThread {
            var number = 0
            while !isOver.isSet {
                number += 1
                KVStoreError.reporting { try store.set(count, value: number) }
            }
        }
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<300 {
                        let consumer = Task {
                            // A busy machine may run the consumer late, so little is kept for it.
                            for await _ in store.stream(count, bufferingPolicy: .bufferingNewest(9))
                            {}
                        }
                        await Task.yield()
                        consumer.cancel()
                        await consumer.value
                    }
                }
            }
        }
        isOver.set()
        await writer
        var values = store.stream(count).makeAsyncIterator()
        #expect(await values.next() == store.get(count))
    }

    /// An executor that runs a resumed consumer at once, on the stack of the writer.
    @Test(arguments: StoreKind.allCases)
    func aConsumerThatRunsInsideTheWriteMayReadAndWrite(kind: StoreKind) async throws {
        final class InlineExecutor: TaskExecutor {
            func enqueue(_ job: consuming ExecutorJob) {
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        let store = ReactiveKVStore(kind.make())
        let echo = KVDefaultKey("echo", default: 0)
        let consumer = Task(executorPreference: InlineExecutor()) {
            for await value in store.stream(count) {
                #expect(store.get(count) >= value)
                try store.set(echo, value: value)
                if value == 500 { break }
            }
        }
        for value in 1...500 { try store.set(count, value: value) }
        try await consumer.value
        #expect(store.get(echo) == 500)
    }

    @Test func aConsumerMaySetItsOwnKey() async throws {
        let store = ReactiveKVStore(InMemoryKVStore())
        var seen: [Int] = []
        try store.set(count, value: 5)
        for await value in store.stream(count) {
            seen.append(value)
            if value == 0 { break }
            try store.set(count, value: value - 1)
        }
        #expect(seen == [5, 4, 3, 2, 1, 0])
    }

    @Test func storesThatFollowEachOtherSettle() async throws {
        let stores = [ReactiveKVStore(InMemoryKVStore()), ReactiveKVStore(InMemoryKVStore())]
        let followers = [(0, 1), (1, 0)].map { from, to in
            Task {
                for await value in stores[from].stream(count) {
                    if value > stores[to].get(count) { try stores[to].set(count, value: value) }
                }
            }
        }
        for value in 1...200 { try stores[value % 2].set(count, value: value) }
        for store in stores {
            for await value in store.stream(count) where value == 200 { break }
        }
        for follower in followers { follower.cancel() }
        for follower in followers { try await follower.value }
    }

    @Test(arguments: StoreKind.allCases)
    func streamsThatWereDroppedLeaveNothingBehind(kind: StoreKind) async throws {
        weak var domain: AnyObject?
        do {
            let base = kind.make()
            domain = base as AnyObject
            let store = ReactiveKVStore(base)
            for number in 0..<10_000 {
                let key = KVKey<Int>("key \(number % 100)")
                if number % 3 == 0 {
                    _ = store.stream(key)
                } else {
                    var values = store.stream(key).makeAsyncIterator()
                    _ = await values.next()
                }
            }
            try store.set(count, value: 1)
        }
        if kind != .unobserved { #expect(domain == nil) }
    }
}
