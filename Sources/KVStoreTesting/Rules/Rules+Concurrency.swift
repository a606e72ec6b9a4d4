import KVStore
import Synchronization

extension KVContractRule {
    static let concurrencyRules: [KVContractRule] = [
        updatesAreExact, transactionsAreExact, readersNeverSeeHalf, storesUpdatingEachOtherEnd,
        distinctKeysKeepAll,
    ]

    private static let count = KVDefaultKey("count", default: 0)

    package static let updatesAreExact = steps(
        "no update is lost between threads",
        "Eight threads that add one two hundred times each add sixteen hundred."
    ) { trial in
        let store = try trial.makeStore()
        try trial.startThreads(8) { _ in
            for _ in 0..<200 { try trial.insisting { try store.update(count) { $0 += 1 } } }
        }.wait(times: 2)
        try trial.expect(store.get(count), equals: 1600, "the count")
    }

    package static let transactionsAreExact = steps(
        "no transaction is lost between threads",
        "What is moved between two keys on some threads and read on others keeps its sum."
    ) { trial in
        let store = try trial.makeStore()
        let from = KVDefaultKey("from", default: 1000)
        let to = KVDefaultKey("to", default: 0)
        try trial.startThreads(4) { index in
            for _ in 0..<100 {
                try trial.insisting {
                    try store.transaction { transaction in
                        let left = transaction.get(from)
                        let moved = transaction.get(to)
                        try trial.expect(left + moved, equals: 1000, "the sum")
                        try transaction.set(from, value: left - 1 - index % 2)
                        try transaction.set(to, value: moved + 1 + index % 2)
                    }
                }
            }
        }.wait(times: 2)
        try trial.expect(store.get(to), equals: 600, "what was moved")
        try trial.expect(store.get(from), equals: 400, "what is left")
    }

    package static let readersNeverSeeHalf = steps(
        "a reader never sees half a transaction",
        "Listings and transactions on other threads see both keys of a pair change together."
    ) { trial in
        let store = try trial.makeStore()
        let one = KVDefaultKey("one", default: 0)
        let other = KVDefaultKey("other", default: 0)
        let isDone = Flag()
        try trial.startThreads(4) { index in
            if index == 0 {
                defer { isDone.set() }
                for round in 1...300 {
                    try trial.insisting {
                        try store.transaction { transaction in
                            try transaction.set(one, value: round)
                            try transaction.set(other, value: round)
                        }
                    }
                }
                return
            }
            while !isDone.isSet {
                let all = try store.storedValues()
                try trial.expect(all["one"], equals: all["other"], "one of a pair, listed,")
                try store.transaction { transaction in
                    let first = transaction.get(one)
                    try trial.expect(transaction.get(other), equals: first, "one of a pair, read,")
                }
            }
        }.wait(times: 2)
    }

    package static let storesUpdatingEachOtherEnd = steps(
        "two stores that update each other inside their bodies do not hang",
        "On two threads, each update succeeds or throws busy, and none is counted that threw."
    ) { trial in
        let one = try trial.makeStore()
        let other = try trial.makeStore()
        let mine = KVDefaultKey("mine", default: 0)
        let successes = Tally()
        let entries = Tally()
        try trial.startThreads(2) { index in
            let (outer, inner) = index == 0 ? (one, other) : (other, one)
            for round in 1...5 {
                do {
                    var isFirstRun = true
                    try outer.transaction { transaction in
                        // The other thread's body changes this, so that the two conflict.
                        _ = transaction.get(count)
                        if isFirstRun {
                            isFirstRun = false
                            entries.add(1, to: index)
                            entries.wait(for: round, of: 1 - index)
                        }
                        try inner.update(count) { $0 += 1 }
                        try transaction.update(mine) { $0 += 1 }
                    }
                    successes.add(1, to: index)
                } catch let error as KVStoreError where error.code == .busy {
                    // Refusing is allowed; waiting for ever is not.
                }
            }
        }.wait(times: 3)
        try trial.expect(one.get(mine), equals: successes[0], "the updates of the first store")
        try trial.expect(other.get(mine), equals: successes[1], "the updates of the second store")
    }

    package static let distinctKeysKeepAll = steps(
        "threads that write different keys lose nothing",
        "Sets, updates and removals of neighbours do not disturb each other."
    ) { trial in
        let store = try trial.makeStore()
        try trial.startThreads(8) { index in
            let count = KVDefaultKey("\(index)", default: 0)
            for round in 0..<50 {
                let key = KVKey<Int>("\(index)-\(round)")
                try trial.insisting { try store.set(key, value: round) }
                try trial.insisting { try store.update(count) { $0 += 1 } }
                if round.isMultiple(of: 2) { try trial.insisting { try store.remove(key) } }
            }
        }.wait(times: 2)
        var expected: [String: PropertyListValue] = [:]
        for index in 0..<8 {
            expected["\(index)"] = 50
            for round in stride(from: 1, to: 50, by: 2) {
                expected["\(index)-\(round)"] = .integer(Int64(round))
            }
        }
        try trial.expect(store.storedValues() == expected, "the keys of all threads")
    }
}

/// Something that happens once, seen by several threads.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

/// Counts of several threads.
final class Tally: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    subscript(index: Int) -> Int { counts.withLock { $0[index, default: 0] } }

    func add(_ count: Int, to index: Int) {
        counts.withLock { $0[index, default: 0] += count }
    }

    /// Waits until a count is reached, or a moment has passed in which it could have been.
    func wait(for count: Int, of index: Int) {
        let end = ContinuousClock.now + .milliseconds(100)
        while self[index] < count, ContinuousClock.now < end {}
    }
}
