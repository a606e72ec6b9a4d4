import KVStore
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
    private let domain = MemoryDomain()

    @Test func noneIsLeftOfThoseThatWereCancelledOrDropped() async throws {
        let feed = DomainFeed(domain, handle: HandleID())
        for number in 0..<10_000 {
            let names = number % 3 == 0 ? nil : ["key \(number % 100)", "other"]
            let subscription = feed.subscribe(
                to: names,
                initial: true,
                bufferingPolicy: .unbounded
            )
            if number % 2 == 0 { subscription.cancel() }
            if number % 4 == 0 { subscription.cancel() }
        }
        #expect(domain.subscriptionCount == 0)
        let kept = feed.observe(["key 1"]) { _ in }
        #expect(domain.subscriptionCount == 1)
        kept.cancel()
        #expect(domain.subscriptionCount == 0)
    }
}
