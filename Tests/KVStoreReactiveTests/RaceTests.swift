import KVStoreReactive
import Synchronization
import TestSupport
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
    private final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aConsumerThatRunsInsideTheWriteMayReadAndWrite(kind: StoreKind) async throws {
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

    private final class Consumers: Sendable {
        let tasks = Mutex<[Task<Int, Never>]>([])
    }

    /// The first of two that are woken by a write cancels both while the write goes on.
    @Test(arguments: StoreKind.allCases)
    func consumersMayBeCancelledInTheMiddleOfADelivery(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        for round in 1...100 {
            let consumers = Consumers()
            let hasCancelled = Flag()
            for _ in 0..<2 {
                let consumer = Task(executorPreference: InlineExecutor()) {
                    var last = 0
                    for await value in store.stream(count) {
                        last = value
                        if value < round || hasCancelled.isSet { continue }
                        hasCancelled.set()
                        for consumer in consumers.tasks.withLock({ $0 }) { consumer.cancel() }
                    }
                    return last
                }
                consumers.tasks.withLock { $0.append(consumer) }
            }
            try store.set(count, value: round)
            for consumer in consumers.tasks.withLock({ $0 }) {
                #expect(await consumer.value <= round)
            }
            #expect(store.get(count) == round)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aConsumerMaySetItsOwnKeyAndEndsWhereItsValueIsEqual(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        var seen: [Int] = []
        try store.set(count, value: 40)
        for await value in store.stream(count) {
            seen.append(value)
            // Half of nought is nought, which is no change, so the next element is another's.
            try store.set(count, value: value / 2)
            if value == 0 { try store.set(count, value: -1) }
            if value < 0 { break }
        }
        #expect(seen == [40, 20, 10, 5, 2, 1, 0, -1])
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
        weak var released: ReactiveKVStore?
        weak var base: AnyObject?
        do {
            let store = kind.make()
            // What is unobserved is a struct.
            if kind != .unobserved { base = store as AnyObject }
            let reactive = ReactiveKVStore(store)
            released = reactive
            for number in 0..<10_000 {
                let key = KVKey<Int>("key \(number % 100)")
                if number % 3 == 0 {
                    _ = reactive.stream(key)
                } else {
                    var values = reactive.stream(key).makeAsyncIterator()
                    _ = await values.next()
                }
            }
            try reactive.set(count, value: 1)
        }
        #expect(released == nil)
        #expect(base == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func streamsThatAreKeptEndWithTheirStoreAndDoNotKeepIt(kind: StoreKind) async throws {
        var streams: [AsyncStream<Int>] = []
        do {
            let store = ReactiveKVStore(kind.make())
            streams = (0..<10_000).map { _ in store.stream(count) }
            try store.set(count, value: 1)
        }
        for stream in streams {
            let values = await stream.reduce(into: []) { $0.append($1) }
            #expect(values == [0, 1])
        }
    }

    @Test func consumersThatWereCancelledLeaveNoSubscription() async throws {
        let domain = MemoryDomain()
        let store = ReactiveKVStore(DomainKVStore(over: domain))
        let consumers = (0..<1000).map { number in
            Task { for await _ in store.stream(KVKey<Int>("key \(number % 10)")) {} }
        }
        for number in 0..<100 { try store.set(KVKey<Int>("key \(number % 10)"), value: number) }
        for consumer in consumers { consumer.cancel() }
        for consumer in consumers { await consumer.value }
        #expect(domain.subscriptionCount == 0)
    }
}
