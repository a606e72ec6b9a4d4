import Foundation
import KVStoreReactive
import Synchronization
import Testing

@Suite("PacedDelivery")
struct PacedDeliveryTests {
    private let store = ReactiveKVStore(InMemoryKVStore())
    private let count = KVDefaultKey("count", default: 0)

    @Test func nothingComesWithoutDemand() throws {
        let receiver = Receiver()
        let delivery = try begin(receiver)
        try store.set(count, value: 1)
        #expect(receiver.values == [])
        delivery.request(.none)
        #expect(receiver.values == [])
    }

    @Test func demandsAddUp() throws {
        let receiver = Receiver()
        let delivery = try begin(receiver)
        delivery.request(.limited(1))
        delivery.request(.limited(2))
        for number in 1...5 { try store.set(count, value: number) }
        #expect(receiver.values == [0, 1, 2])
        delivery.request(.limited(2))
        #expect(receiver.values == [0, 1, 2, 3, 4])
        delivery.request(.limited(.max))
        delivery.request(.limited(.max))
        #expect(receiver.values == [0, 1, 2, 3, 4, 5])
    }

    @Test func unlimitedDemandStays() throws {
        let receiver = Receiver()
        let delivery = try begin(receiver)
        delivery.request(.unlimited)
        delivery.request(.limited(1))
        for number in 1...50 { try store.set(count, value: number) }
        #expect(receiver.values == Array(0...50))
    }

    @Test func whatTheReceiverReturnsIsDemand() throws {
        let receiver = Receiver { value, _ in value < 2 ? .limited(1) : .none }
        let delivery = try begin(receiver)
        delivery.request(.limited(1))
        for number in 1...5 { try store.set(count, value: number) }
        #expect(receiver.values == [0, 1, 2])
    }

    @Test func theReceiverMayWriteAndAskWithoutRecursion() throws {
        let receiver = Receiver { value, delivery in
            if value < 2000 {
                KVStoreError.reporting { try store.set(count, value: value + 1) }
                delivery?.request(.limited(1))
            }
            return .none
        }
        let delivery = try begin(receiver)
        delivery.request(.limited(1))
        #expect(receiver.values == Array(0...2000))
        #expect(receiver.deepest == 1)
    }

    @Test func cancellingDeregistersAndReleasesTheReceiver() throws {
        let domain = MemoryDomain()
        weak var released: Receiver?
        let delivery: PacedDelivery<Int>
        do {
            let receiver = Receiver()
            released = receiver
            delivery = PacedDelivery(
                of: subscription(to: domain),
                to: receiver,
                read: { _ in 0 }
            )
            receiver.delivery = delivery
            delivery.start()
            delivery.request(.unlimited)
            #expect(domain.subscriptionCount == 1)
            delivery.cancel()
            delivery.cancel()
            #expect(!receiver.isFinished)
        }
        #expect(domain.subscriptionCount == 0)
        #expect(released == nil)
        delivery.request(.unlimited)
    }

    @Test func aReceiverThatCancelsGetsNothingMore() throws {
        let receiver = Receiver { value, delivery in
            if value == 1 { delivery?.cancel() }
            return .none
        }
        let delivery = try begin(receiver)
        for number in 1...5 { try store.set(count, value: number) }
        delivery.request(.unlimited)
        try store.set(count, value: 6)
        #expect(receiver.values == [0, 1])
        #expect(!receiver.isFinished)
    }

    @Test func aDeliveryThatIsReleasedDeregisters() throws {
        let domain = MemoryDomain()
        do {
            let delivery = PacedDelivery(
                of: subscription(to: domain),
                to: Receiver(),
                read: { _ in 0 }
            )
            delivery.start()
            #expect(domain.subscriptionCount == 1)
        }
        #expect(domain.subscriptionCount == 0)
    }

    private func subscription(to domain: MemoryDomain) -> KVSubscription {
        DomainFeed(domain, handle: HandleID())
            .subscribe(to: ["count"], initial: true, bufferingPolicy: .unbounded)
    }

    @Test func theEndComesAfterWhatWaitsAndNeedsNoDemand() throws {
        var base: InMemoryKVStore? = InMemoryKVStore()
        let waiting = Receiver()
        let idle = Receiver()
        let delivery: PacedDelivery<Int>
        let idleDelivery: PacedDelivery<Int>
        do {
            let store = ReactiveKVStore(try #require(base))
            delivery = try begin(waiting, on: store)
            idleDelivery = try begin(idle, on: store)
            idleDelivery.request(.limited(2))
        }
        try base?.set(count, value: 1)
        base = nil
        #expect(idle.values == [0, 1])
        #expect(idle.isFinished)
        #expect(!waiting.isFinished)
        delivery.request(.limited(1))
        #expect(!waiting.isFinished)
        delivery.request(.limited(1))
        #expect(waiting.values == [0, 1])
        #expect(waiting.isFinished)
        idleDelivery.request(.unlimited)
        #expect(idle.ends == 1)
    }

    @Test func anEndBeforeTheStartIsNotMissed() throws {
        let receiver = Receiver()
        let delivery: PacedDelivery<Int>
        do {
            let store = ReactiveKVStore(InMemoryKVStore())
            delivery = try make(receiver, on: store)
            delivery.request(.limited(1))
        }
        delivery.start()
        #expect(receiver.values == [0])
        #expect(receiver.isFinished)
    }

    @Test func whatIsNotAskedForIsNotDecoded() throws {
        let reads = Counter()
        let delivery = PacedDelivery(
            of: try subscription(store),
            to: Receiver(),
            read: { _ in reads.add(1) }
        )
        delivery.start()
        for number in 1...10 { try store.set(count, value: number) }
        #expect(reads.add(0) == 0)
        delivery.request(.limited(3))
        #expect(reads.add(0) == 3)
    }

    /// Writers and those who ask at once: every value once, in order, one at a time.
    @Test(arguments: StoreKind.allCases)
    func racingWritersAndRequestsDeliverEverythingInOrder(kind: StoreKind) async throws {
        let store = ReactiveKVStore(kind.make())
        let receiver = Receiver()
        let delivery = try begin(receiver, on: store)
        let total = 1200
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<(total / 3) { try store.update(count) { $0 += 1 } }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<(total / 2) {
                        delivery.request(.limited(1))
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(receiver.values.count == total)
        delivery.request(.limited(1))
        #expect(receiver.values == Array(0...total))
        #expect(receiver.deepest == 1)
    }

    /// Whoever finds another thread delivering leaves its value to that one, which must not miss it.
    @Test func noValueStaysBehindWhenTwoWritersMeet() async throws {
        let receiver = Counting()
        let delivery = PacedDelivery(of: try subscription(store), to: receiver, read: { _ in 0 })
        delivery.start()
        delivery.request(.unlimited)
        let rounds = 40_000
        // The two meet at the gate before each of their writes, so that these fall together.
        let gate = Gate()
        async let other: Void = onThread {
            for round in 1...rounds {
                gate.meet()
                KVStoreError.reporting { try store.set(KVKey("count"), value: -round) }
                gate.meet()
            }
        }
        async let missing: Int? = firstRoundWithAValueMissing(rounds, gate, receiver)
        let (_, round) = await (other, missing)
        #expect(round == nil)
        withExtendedLifetime(delivery) {}
    }

    private func firstRoundWithAValueMissing(
        _ rounds: Int,
        _ gate: Gate,
        _ receiver: Counting
    ) async -> Int? {
        let first = Mutex<Int?>(nil)
        await onThread {
            for round in 1...rounds {
                gate.meet()
                KVStoreError.reporting { try store.set(KVKey("count"), value: round) }
                gate.meet()
                // The first value, and two a round.
                guard receiver.count.add(0) != 1 + 2 * round else { continue }
                first.withLock { $0 = $0 ?? round }
            }
        }
        return first.withLock { $0 }
    }

    @Test func cancellingWhileWritersDeliverEnds() async throws {
        for _ in 0..<200 {
            let receiver = Receiver()
            let delivery = try begin(receiver)
            delivery.request(.unlimited)
            async let writer: Void = onThread {
                for number in 0..<20 {
                    KVStoreError.reporting { try store.set(count, value: number) }
                }
            }
            delivery.cancel()
            await writer
            let seen = receiver.values.count
            try store.set(count, value: -1)
            #expect(receiver.values.count == seen)
            #expect(!receiver.isFinished)
        }
    }

    private func begin(
        _ receiver: Receiver,
        on store: ReactiveKVStore? = nil
    ) throws -> PacedDelivery<Int> {
        let delivery = try make(receiver, on: store ?? self.store)
        delivery.start()
        return delivery
    }

    private func make(
        _ receiver: Receiver,
        on store: ReactiveKVStore
    ) throws -> PacedDelivery<Int> {
        let delivery = PacedDelivery(
            of: try subscription(store),
            to: receiver,
            read: { [count] delivery in
                do {
                    return try count.reading(delivery.values.first ?? nil)
                } catch {
                    return -1
                }
            }
        )
        receiver.delivery = delivery
        return delivery
    }

    private func subscription(_ store: ReactiveKVStore) throws -> KVSubscription {
        try #require(store.feed).subscribe(
            to: [count.name],
            initial: true,
            bufferingPolicy: .unbounded
        )
    }
}

/// A receiver that counts what it gets.
private final class Counting: PacedReceiver {
    let count = Counter()

    func receive(_ element: Int) -> PacedDemand {
        count.add(1)
        return .none
    }

    func finish() {}
}

/// Where two threads wait for each other.
private final class Gate: Sendable {
    private let arrivals = Atomic(0)

    func meet() {
        let arrival = arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        let target = arrival + arrival % 2
        var spins = 0
        while arrivals.load(ordering: .acquiring) < target {
            spins += 1
            // A core may be busy with the thread that is waited for.
            if spins > 1000 { sched_yield() }
        }
    }
}

/// A receiver that records what it gets, and how deep its calls were nested or overlapped.
private final class Receiver: PacedReceiver {
    private struct State {
        var values: [Int] = []
        var ends = 0
        var depth = 0
        var deepest = 0
        weak var delivery: PacedDelivery<Int>?
    }

    private let state = Mutex(State())
    private let react: @Sendable (Int, PacedDelivery<Int>?) -> PacedDemand

    init(react: @escaping @Sendable (Int, PacedDelivery<Int>?) -> PacedDemand = { _, _ in .none }) {
        self.react = react
    }

    var values: [Int] { state.withLock { $0.values } }
    var ends: Int { state.withLock { $0.ends } }
    var isFinished: Bool { ends > 0 }
    var deepest: Int { state.withLock { $0.deepest } }

    var delivery: PacedDelivery<Int>? {
        get { state.withLock { $0.delivery } }
        set { state.withLock { $0.delivery = newValue } }
    }

    func receive(_ element: Int) -> PacedDemand {
        let delivery = state.withLock { state in
            state.values.append(element)
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
            return state.delivery
        }
        defer { state.withLock { $0.depth -= 1 } }
        return react(element, delivery)
    }

    func finish() {
        state.withLock { $0.ends += 1 }
    }
}
