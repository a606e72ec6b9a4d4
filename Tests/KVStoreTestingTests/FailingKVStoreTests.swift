import KVStore
import KVStoreReactive
import KVStoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("FailingKVStore")
struct FailingKVStoreTests {
    private struct Failure: Error {}

    private let store = InMemoryKVStore()
    private let key = KVDefaultKey("key", default: 0)

    @Test func everyWriteThrowsUnlessItIsToldOtherwise() throws {
        try store.set(key, value: 1)
        let failing = FailingKVStore(store)
        let writes: [() throws -> Void] = [
            { try failing.set(key, value: 2) }, { try failing.remove(key) },
            { try failing.removeAll() }, { try failing.update(key) { $0 += 1 } },
            { try failing.transaction { try $0.transaction { try $0.remove(key) } } },
        ]
        for write in writes {
            let error = #expect(throws: KVStoreError.self, performing: write)
            #expect(error?.code == .unwritable)
        }
        #expect(failing.get(key) == 1)
        #expect(failing.contains(key))
        #expect(try failing.storedValues() == ["key": 1])
        #expect(try failing.transaction { $0.get(key) } == 1)
        try failing.flush()
        #expect(throws: Failure.self) {
            try FailingKVStore(store, throwing: Failure()).set(key, value: 2)
        }
        #expect(store.get(key) == 1)
    }

    @Test func writesThatCannotThrowReachTheHandlerAndKeepTheOldValue() {
        let failing = FailingKVStore(store)
        let errors = Mutex<[String]>([])
        KVStoreError.withHandler({ error in errors.withLock { $0.append("\(error)") } }) {
            failing[key] = 3
            failing[key] += 1
        }
        #expect(failing.get(key) == 0)
        #expect(errors.withLock { $0.count } == 2)
    }

    @Test func aPlanChoosesTheCall() throws {
        let calls = Mutex<[String]>([])
        let failing = FailingKVStore(store) { call in
            calls.withLock { $0.append("\(call.kind) \(call.number) \(call.key ?? "-")") }
            return call.kind == .write && call.number == 2 ? .error(Failure()) : nil
        }
        try failing.set(key, value: 1)
        #expect(throws: Failure.self) { try failing.update(key) { $0 = 2 } }
        try failing.transaction { try $0.set(key, value: 3) }
        #expect(failing.get(key) == 3)
        _ = try failing.keys()
        try failing.flush()
        #expect(
            calls.withLock { $0 } == [
                "write 1 key", "write 2 -", "write 3 -", "read 1 key", "list 1 -", "flush 1 -",
            ]
        )
    }

    @Test func readsListingsAndFlushesFailToo() throws {
        let failing = FailingKVStore(store) { _ in .error(Failure()) }
        try store.set(key, value: 1)
        #expect(throws: Failure.self) { try failing.value(for: key) }
        #expect(throws: Failure.self) { try failing.keys() }
        #expect(throws: Failure.self) { try failing.flush() }
        #expect(failing.get(key) == 0)
        #expect(!failing.contains(key))
    }

    @Test func anErrorAfterwardsLeavesWhatWasDone() throws {
        let failing = FailingKVStore(store) {
            $0.kind == .write ? .errorAfterwards(Failure()) : nil
        }
        #expect(throws: Failure.self) { try failing.set(key, value: 1) }
        #expect(store.get(key) == 1)
        #expect(throws: Failure.self) { try failing.update(key) { $0 += 1 } }
        #expect(store.get(key) == 2)
    }

    @Test func corruptionIsReadAndStoredInPlaceOfTheValue() throws {
        let failing = FailingKVStore(store) { call in
            switch call.kind {
            case .read: .corruption("broken")
            case .write: .corruption(["also": "broken"])
            default: nil
            }
        }
        try store.set(key, value: 1)
        #expect(throws: DecodingError.self) { try failing.value(for: key) }
        #expect(failing.get(key) == 0)
        try failing.set(key, value: 2)
        #expect(store.storedValues() == ["key": ["also": "broken"]])
    }

    @Test func aDelayComesBeforeTheCall() throws {
        let failing = FailingKVStore(store) { _ in .delay(.milliseconds(20)) }
        let start = ContinuousClock.now
        try failing.set(key, value: 1)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(store.get(key) == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func itObservesAsTheStoreBeneath() async throws {
        let failing = FailingKVStore(store) { $0.number == 2 ? .error(Failure()) : nil }
        var values = ReactiveKVStore(failing).stream(key).makeAsyncIterator()
        #expect(await values.next() == 0)
        try failing.set(key, value: 1)
        #expect(throws: Failure.self) { try failing.set(key, value: 2) }
        try store.set(key, value: 3)
        #expect(await values.next() == 1)
        #expect(await values.next() == 3)
        #expect(FailingKVStore(UnobservedKVStore(store)).feed == nil)
    }
}
