import KVStore
import Synchronization
import Testing

@Suite("Mailbox")
struct MailboxTests {
    @Test func keepsEverythingUnbounded() async {
        let mailbox = Mailbox<Int>(policy: .unbounded)
        for number in 0..<1000 { mailbox.send(number)?.perform() }
        for number in 0..<1000 { #expect(await mailbox.next() == number) }
    }

    @Test func keepsTheNewest() async {
        let mailbox = Mailbox<Int>(policy: .bufferingNewest(2))
        for number in 0..<100 { mailbox.send(number)?.perform() }
        #expect(await mailbox.next() == 98)
        #expect(await mailbox.next() == 99)
    }

    @Test func keepsTheOldest() async {
        let mailbox = Mailbox<Int>(policy: .bufferingOldest(2))
        for number in 0..<100 { mailbox.send(number)?.perform() }
        #expect(await mailbox.next() == 0)
        mailbox.send(100)?.perform()
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == 100)
    }

    @Test(arguments: [
        Mailbox<Int>.Policy.bufferingNewest(0), .bufferingOldest(0), .bufferingNewest(-1),
    ])
    func keepsNothingWithoutRoom(policy: Mailbox<Int>.Policy) async {
        let mailbox = Mailbox<Int>(policy: policy)
        mailbox.send(1)?.perform()
        mailbox.finish(discarding: false)
        #expect(await mailbox.next() == nil)
    }

    @Test func servesSeveralWaitersInTurn() async {
        let mailbox = Mailbox<Int>(policy: .unbounded)
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<10 { group.addTask { await mailbox.next() ?? -1000 } }
            for number in 0..<10 { mailbox.send(number)?.perform() }
            return await group.reduce(0, +)
        }
        #expect(sum == 45)
    }

    @Test func whatWasSentBeforeTheEndArrives() async {
        let mailbox = Mailbox<Int>(policy: .unbounded)
        mailbox.send(1)?.perform()
        mailbox.finish(discarding: false)
        mailbox.send(2)?.perform()
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == nil)
        #expect(await mailbox.next() == nil)
    }

    @Test func takingDoesNotWait() {
        let mailbox = Mailbox<Int>(policy: .unbounded)
        #expect(describe(mailbox.take()) == "empty")
        mailbox.send(1)?.perform()
        mailbox.finish(discarding: false)
        #expect(!mailbox.isExhausted)
        #expect(describe(mailbox.take()) == "1")
        #expect(mailbox.isExhausted)
        #expect(describe(mailbox.take()) == "ended")
    }

    private func describe(_ taken: Mailbox<Int>.Taken) -> String {
        switch taken {
        case .element(let number): "\(number)"
        case .empty: "empty"
        case .ended: "ended"
        }
    }

    @Test(arguments: [Mailbox<Int>.Policy.unbounded, .bufferingNewest(1)])
    func signalsEachInsertionAndTheEnd(policy: Mailbox<Int>.Policy) {
        let mailbox = Mailbox<Int>(policy: policy)
        let signals = Atomic(0)
        mailbox.send(0)?.perform()
        mailbox.setSignal { signals.add(1, ordering: .relaxed) }
        for number in 1...3 { mailbox.send(number)?.perform() }
        #expect(signals.load(ordering: .relaxed) == 3)
        mailbox.finish(discarding: true)
        mailbox.finish(discarding: true)
        #expect(signals.load(ordering: .relaxed) == 4)
    }

    @Test func finishingWakesWhoWaits() async {
        let mailbox = Mailbox<Int>(policy: .unbounded)
        async let element = mailbox.next()
        mailbox.finish(discarding: true)
        mailbox.finish(discarding: true)
        #expect(await element == nil)
    }
}
