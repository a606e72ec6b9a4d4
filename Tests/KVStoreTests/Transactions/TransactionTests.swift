import KVStore
import Synchronization
import Testing

@Suite("Transactions")
struct TransactionTests {
    private let store = InMemoryKVStore()
    private let count = KVDefaultKey("count", default: 0)

    private struct Refusal: Error {}

    @Test func commitsEveryChangeAndReturnsTheResult() throws {
        try store.setStoredValue(1, for: "b")
        let result = try store.transaction { t in
            try t.setStoredValue("x", for: "a")
            try t.setStoredValue(nil, for: "b")
            return try t.storedValue(for: "a")
        }
        #expect(result == "x")
        #expect(store.storedValues() == ["a": "x"])
    }

    @Test func aThrowingBodyChangesNothing() throws {
        try store.setStoredValue(1, for: "a")
        #expect(throws: Refusal.self) {
            try store.transaction { t in
                try t.setStoredValue(2, for: "a")
                throw Refusal()
            }
        }
        #expect(store.storedValues() == ["a": 1])
    }

    @Test func anInnerBodyThatThrowsUndoesItsOwnChanges() throws {
        try store.transaction { t in
            try t.setStoredValue(1, for: "a")
            #expect(throws: Refusal.self) {
                try t.transaction { inner in
                    try inner.setStoredValue(2, for: "a")
                    try inner.setStoredValue(2, for: "b")
                    throw Refusal()
                }
            }
            try t.transaction { inner in try inner.setStoredValue(3, for: "c") }
        }
        #expect(store.storedValues() == ["a": 1, "c": 3])
    }

    @Test func usedAfterItsEndItThrows() throws {
        var leaked: KVTransaction?
        try store.transaction { t in leaked = t }
        let transaction = try #require(leaked)
        for use: () throws -> Void in [
            { _ = try transaction.storedValue(for: "a") },
            { _ = try transaction.storedValues() },
            { try transaction.setStoredValue(1, for: "a") },
            { try transaction.transaction { _ in } },
        ] {
            let error = #expect(throws: KVStoreError.self) { try use() }
            #expect(error?.code == .transactionEnded)
        }
        #expect(store.storedValues().isEmpty)
    }

    @Test func aWriteThroughTheStoreInsideABodyIsRefused() throws {
        try store.transaction { t in
            try t.setStoredValue(1, for: "a")
            for write: () throws -> Void in [
                { try store.setStoredValue(2, for: "a") },
                { try store.removeAll() },
                { try store.update(count) { $0 += 1 } },
                { try store.transaction { _ in } },
            ] {
                let error = #expect(throws: KVStoreError.self) { try write() }
                #expect(error?.code == .nestedWrite)
            }
            #expect(store.storedValue(for: "a") == nil)
        }
        #expect(store.storedValues() == ["a": 1])
        try store.setStoredValue(3, for: "a")
    }

    @Test func readsSeeOneStateWhateverOthersWrite() throws {
        try store.setStoredValue(0, for: "a")
        try store.setStoredValue(0, for: "b")
        var runs = 0
        let pairs = try store.transaction { t in
            runs += 1
            let first = try t.storedValue(for: "a")
            if runs == 1 { onAnotherThread { self.writeBoth(1) } }
            let second = try t.storedValue(for: "b")
            try t.setStoredValue(true, for: "seen")
            return [first, second]
        }
        #expect(runs == 2)
        #expect(pairs == [1, 1])
    }

    @Test func aConflictRunsTheBodyAgainOverTheNewerValue() throws {
        var runs = 0
        try store.update(count) { value in
            runs += 1
            if runs <= 5 { onAnotherThread { self.add(10) } }
            value += 1
        }
        #expect(runs == 6)
        #expect(store.get(count) == 51)
    }

    @Test func listingTheKeysConflictsWithANewOne() throws {
        var runs = 0
        let names = try store.transaction { t in
            runs += 1
            let names = try t.keys()
            if runs == 1 { onAnotherThread { self.add(1) } }
            try t.setStoredValue(.integer(Int64(names.count)), for: "names")
            return names
        }
        #expect(runs == 2)
        #expect(names == ["count"])
    }

    @Test func readsOfNothingChangedByOthersDoNotConflict() throws {
        var runs = 0
        try store.transaction { t in
            runs += 1
            _ = try t.storedValue(for: "mine")
            onAnotherThread { self.add(1) }
            try t.setStoredValue(1, for: "mine")
        }
        #expect(runs == 1)
    }

    @Test func concurrentUpdatesLoseNothing() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 { try store.update(count) { $0 += 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.get(count) == 2000)
    }

    @Test func storesThatWriteEachOtherInsideBodiesDoNotHang() async throws {
        let other = InMemoryKVStore()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for (mine, theirs) in [(store, other), (other, store)] {
                group.addTask {
                    do {
                        for _ in 0..<50 {
                            try mine.update(count) { value in
                                value += 1
                                try theirs.setStoredValue(.integer(Int64(value)), for: "echo")
                            }
                        }
                        return true
                    } catch let error as KVStoreError {
                        return error.code == .busy
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == [true, true])
    }

    private func writeBoth(_ value: Int64) {
        KVStoreError.reporting {
            try store.transaction { t in
                try t.setStoredValue(.integer(value), for: "a")
                try t.setStoredValue(.integer(value), for: "b")
            }
        }
    }

    private func add(_ amount: Int) {
        KVStoreError.reporting { try store.update(count) { $0 += amount } }
    }
}
