import Dispatch
import KVStore
import KVStoreUserDefaults
import Synchronization

extension Session {
    /// Writes keys of its own on each of four threads while all of them read; returns how many
    /// reads after an own write did not see it.
    func hammer(_ suite: String, count: Int) throws -> Int {
        let store = store(suite)
        let faults = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<count {
                let name = "thread\(thread).\(index % 5)"
                let value = PropertyListValue.integer(Int64(index))
                do {
                    try store.setStoredValue(value, for: name)
                    if try store.storedValue(for: name) != value {
                        faults.add(1, ordering: .relaxed)
                    }
                } catch {
                    faults.add(1, ordering: .relaxed)
                }
            }
        }
        return faults.load(ordering: .relaxed)
    }

    /// Opens a suite and reads a key of it on four threads at once; returns how many reads missed.
    func firstTouch(_ suite: String, _ key: String) -> Int {
        let misses = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let store = UserDefaultsKVStore(suiteName: suite)
            for _ in 0..<20 where !store.contains(KVKey<String>(key)) {
                misses.add(1, ordering: .relaxed)
            }
        }
        return misses.load(ordering: .relaxed)
    }

    /// Changes two keys together again and again while another thread reads both at once; returns
    /// how many readers saw them differ.
    func pairs(_ suite: String, count: Int) throws -> Int {
        let store = store(suite)
        let faults = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 {
                for index in 0..<count {
                    do {
                        try store.transaction { transaction in
                            try transaction.setStoredValue(.integer(Int64(index)), for: "left")
                            try transaction.setStoredValue(.integer(Int64(index)), for: "right")
                        }
                    } catch {
                        faults.add(1, ordering: .relaxed)
                    }
                }
                isDone.store(true, ordering: .relaxed)
            } else {
                while !isDone.load(ordering: .relaxed) {
                    do {
                        let values = try store.storedValues()
                        if values["left"] != values["right"] { faults.add(1, ordering: .relaxed) }
                    } catch {
                        faults.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        return faults.load(ordering: .relaxed)
    }
}

/// The deliveries of all subscriptions, in order.
final class DeliveryLog: Sendable {
    private let deliveries = Mutex<[PropertyListValue]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func append(_ delivery: KVSubscription.Delivery) {
        guard let commit = delivery.commit else { return }
        var changes: [String: PropertyListValue] = [:]
        for change in commit.changes {
            changes[change.name] = .array(
                [.array([PropertyListValue](optional: change.old))]
                    + [.array([PropertyListValue](optional: change.new))]
            )
        }
        let entry: PropertyListValue = [
            "origin": .string("\(commit.origin)"), "merged": .bool(commit.isMerged),
            "changes": .dictionary(changes), "sequence": .integer(Int64(commit.sequence)),
        ]
        deliveries.withLock { $0.append(entry) }
        arrivals.signal()
    }

    /// Takes the oldest delivery, waiting for one; empty after some seconds without.
    func next(seconds: Int) -> [PropertyListValue] {
        guard case .success = arrivals.wait(timeout: .now() + .seconds(seconds)) else { return [] }
        return deliveries.withLock { [$0.removeFirst()] }
    }
}

/// The codes of the errors that were reported and not thrown.
final class ReportLog: Sendable {
    let codes = Mutex<[PropertyListValue]>([])
}
