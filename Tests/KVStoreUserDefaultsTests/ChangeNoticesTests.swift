import Dispatch
import KVStoreUserDefaults
import Synchronization
import TestSupport
import Testing

@Suite("Notices of changes", .onOwnThreads)
struct ChangeNoticesTests {
    @Test
    func keysThatAreNoKeyPathsAreObservedOnce() {
        var keys = ObservedKeys()
        let names = ["theme", "a.b", "@avg", "x@y", "", "a\u{0}", "launch count", ".", "é"]
        #expect(keys.add(names) == ["theme", "launch count", "é"])
        #expect(keys.add(["theme", "other", "other"]) == ["other"])
        #expect(keys.all == ["theme", "launch count", "é", "other"])
    }

    @Test(.timeLimit(.minutes(10)))
    func noticesThatComeTogetherMakeOneCallAndNoneIsLeftOut() {
        let calls = Atomic(0)
        let begun = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let gatherer = NoticeGatherer {
            calls.add(1, ordering: .relaxed)
            begun.signal()
            goOn.wait()
        }
        gatherer.note()
        begun.wait()
        // The call has begun and may have looked already, so these need another: one for all.
        for _ in 0..<1000 { gatherer.note() }
        goOn.signal()
        begun.wait()
        goOn.signal()
        #expect(calls.load(ordering: .relaxed) == 2)
        withExtendedLifetime(gatherer) {}
    }
}
