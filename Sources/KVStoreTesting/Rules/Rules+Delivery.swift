import KVStore
import Synchronization

extension KVContractRule {
    static let deliveryRules: [KVContractRule] = [
        concurrentChangesComeOnce, commitsAreAChain, lastDeliveryIsFinal, readsAreNeverOlder,
        consumersMayWrite, nobodyWaitsForConsumers, newestAreKept, oldestAreKept,
        handlersAreCalled,
    ]

    private static let count = KVDefaultKey("count", default: 0)

    package static let concurrentChangesComeOnce = waiting(
        "changes made on several threads are delivered in order, without a gap or a repeat",
        "Four threads count to eight hundred, and a subscription counts along."
    ) { trial in
        let store = try trial.makeStore()
        let values = try await trial.values(of: count.name, in: store) { store in
            try await trial.startThreads(4) { _ in
                for _ in 0..<200 { try trial.insisting { try store.update(count) { $0 += 1 } } }
            }.join(times: 2)
        }
        let expected: [PropertyListValue?] = [nil] + (1...800).map { .integer($0) }
        try trial.expect(values == expected, "0, 1, 2, … 800", found: "\(values.prefix(1000))")
    }

    package static let commitsAreAChain = waiting(
        "the old value of each commit is the new value of the one before",
        "Also when threads set, remove and transact at once; numbers have no gap or repeat."
    ) { trial in
        let store = try trial.makeStore()
        let commits = try await trial.commits(to: store) { store in
            try await trial.startThreads(4) { index in
                for round in 0..<100 {
                    let value = round * 4 + index
                    try trial.insisting { try store.set(KVKey<Int>("a"), value: value) }
                    try trial.insisting {
                        try store.transaction { transaction in
                            try transaction.set(KVKey<Int>("b"), value: value)
                            try transaction.remove(KVKey<Int>("a"))
                        }
                    }
                }
            }.join(times: 2)
        }
        var state: [String: PropertyListValue] = [:]
        var sequence = try trial.firstSequence(of: commits)
        for commit in commits {
            try trial.expect(commit.sequence, equals: sequence, "the number of a commit")
            sequence += 1
            for change in commit.changes {
                try trial.expect(change.old, equals: state[change.name], "an old value")
                try trial.expect(change.new != change.old, "a change", found: "an equal value")
                state[change.name] = change.new
            }
        }
        try store.remove(KVKey<Bool>(Trial.endMark))
        try trial.expect(store.storedValues(), equals: state, "the sum of all commits")
    }

    package static let lastDeliveryIsFinal = waiting(
        "however subscribing and writing race, the last delivery is the final value",
        "And from the present value on none is left out, in hundreds of rounds."
    ) { trial in
        let store = try trial.makeStore()
        for round in 0..<300 {
            try store.remove(KVKey<Bool>(Trial.endMark))
            let start = Flag()
            let writer = trial.startThreads(1) { _ in
                start.set()
                for step in 1...6 { try store.set(count, value: round * 10 + step) }
            }
            // Half of the rounds subscribe when the writer is known to run.
            if round.isMultiple(of: 2) { while !start.isSet { await Task.yield() } }
            let observer = try trial.observe([count.name, Trial.endMark], of: store)
            try await writer.join()
            try store.setStoredValue(true, for: Trial.endMark)
            let deliveries = try await observer.deliveries(until: \.isEndMark, "the end mark")
            let steps = deliveries.dropLast().map { delivery in
                guard case .integer(let value)? = delivery.values.first else { return 0 }
                return Int(value) - round * 10
            }
            // What was there before the round counts as step zero.
            let found = steps.map { max($0, 0) }
            let expected = Array((found.first ?? 0)...6)
            try trial.expect(found, equals: expected, "the steps delivered in round \(round)")
        }
    }

    package static let readsAreNeverOlder = waiting(
        "a read is never older than what was delivered",
        "When a delivery says that a key has a value, the store gives it or a newer one."
    ) { trial in
        let store = try trial.makeStore()
        let observer = try trial.observe([count.name, Trial.endMark], of: store)
        let writers = trial.startThreads(2) { _ in
            for _ in 0..<200 { try trial.insisting { try store.update(count) { $0 += 1 } } }
        }
        let last = trial.startThreads(1) { _ in
            try writers.wait()
            try store.setStoredValue(true, for: Trial.endMark)
        }
        while true {
            let delivery = try await observer.next("the end mark")
            if delivery.isEndMark { break }
            let delivered = delivery.values.first.flatMap { $0?.asInteger } ?? 0
            let read = store.get(count)
            try trial.expect(read >= delivered, "\(delivered) or a newer value", found: "\(read)")
            let listed = try store.storedValues()[count.name]?.asInteger ?? 0
            try trial.expect(
                listed >= delivered,
                "\(delivered) or a newer value",
                found: "\(listed)"
            )
        }
        try await last.join()
    }

    package static let consumersMayWrite = waiting(
        "a consumer may write to the store it follows",
        "Each write is delivered to it in turn; nothing waits for anything."
    ) { trial in
        let store = try trial.makeStore()
        let observer = try trial.observe([count.name], of: store)
        for expected in 0...50 {
            let delivery = try await observer.next("the value \(expected)")
            let value = delivery.values.first.flatMap { $0?.asInteger } ?? 0
            try trial.expect(value, equals: expected, "the value delivered")
            try store.update(count) { $0 += 1 }
        }
    }

    package static let nobodyWaitsForConsumers = waiting(
        "writers do not wait for a consumer that does not read",
        "What it has not read yet is kept for it, all and in order."
    ) { trial in
        let store = try trial.makeStore()
        let slow = try trial.observe([count.name, Trial.endMark], of: store)
        let abandoned = try trial.observe(nil, of: store)
        try await trial.startThreads(2) { index in
            let key = index == 0 ? KVKey<Int>(count.name) : KVKey<Int>("x")
            for round in 1...500 { try trial.insisting { try store.set(key, value: round) } }
        }.join()
        try store.setStoredValue(true, for: Trial.endMark)
        let deliveries = try await slow.deliveries(until: \.isEndMark, "the end mark")
        let values = deliveries.dropLast().map { $0.values.first ?? nil }
        let expected: [PropertyListValue?] = [nil] + (1...500).map { .integer($0) }
        try trial.expect(values == expected, "0, 1, 2, … 500", found: "\(values)")
        abandoned.subscription.cancel()
    }

    package static let newestAreKept = waiting(
        "bufferingNewest keeps the newest deliveries",
        "A consumer that was busy finds the last value, and then each that follows."
    ) { trial in
        for limit in [1, 3] {
            let store = try trial.makeStore()
            let observer = try trial.observe(
                [count.name],
                of: store,
                bufferingPolicy: .bufferingNewest(limit)
            )
            for value in 1...10 { try store.set(count, value: value) }
            for expected in (11 - limit)...10 {
                try await trial.expectNext(expected, from: observer)
            }
            try store.set(count, value: 11)
            try await trial.expectNext(11, from: observer)
        }
    }

    package static let oldestAreKept = waiting(
        "bufferingOldest keeps the first deliveries",
        "The present value is one of them; what comes after they were taken is kept again."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(count, value: 1)
        let observer = try trial.observe(
            [count.name],
            of: store,
            bufferingPolicy: .bufferingOldest(3)
        )
        for value in 2...10 { try store.set(count, value: value) }
        for expected in 1...3 { try await trial.expectNext(expected, from: observer) }
        try store.set(count, value: 11)
        try await trial.expectNext(11, from: observer)
    }

    package static let handlersAreCalled = steps(
        "a handler is called for each commit before the write returns",
        "It finds the new value in the store, may write itself, and is let go by cancelling.",
        needs: .observes
    ) { trial in
        let store = try trial.makeStore()
        let copy = KVDefaultKey("copy", default: 0)
        let calls = Calls()
        let subscription = try trial.feed(of: store).observe([count.name]) { delivery in
            let value = delivery.values.first.flatMap { $0?.asInteger } ?? 0
            calls.list.withLock { $0.append([value, store.get(count)]) }
            KVStoreError.withHandler({ _ in calls.list.withLock { $0.append([]) } }) {
                store[copy] = value
            }
        }
        for value in 1...3 {
            try store.set(count, value: value)
            try trial.expect(store.get(copy), equals: value, "what the handler wrote")
        }
        try store.transaction { try $0.set(count, value: 4) }
        subscription.cancel()
        try store.set(count, value: 5)
        try trial.expect(
            calls.list.withLock { $0 },
            equals: [[1, 1], [2, 2], [3, 3], [4, 4]],
            "the values delivered and read"
        )
        try trial.expect(store.get(copy), equals: 4, "the last that the handler wrote")
    }

    /// What a handler was called with.
    private final class Calls: Sendable {
        let list = Mutex<[[Int]]>([])
    }
}

extension Trial {
    /// Checks the value of the next delivery of a single key.
    fileprivate func expectNext(_ value: Int, from observer: Observer) async throws {
        let delivery = try await observer.next("the value \(value)")
        try expect(
            delivery.values,
            equals: [.integer(Int64(value))],
            "the values delivered"
        )
    }
}

extension PropertyListValue {
    fileprivate var asInteger: Int? {
        if case .integer(let value) = self { return Int(value) }
        return nil
    }
}
