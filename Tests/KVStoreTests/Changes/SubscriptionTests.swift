import Foundation
import KVStore
import Synchronization
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

    @Test func aValueThatIsReleasedMayUseTheStore() throws {
        let store = BackendKVStore(TextBackend())
        let feed = try #require(store.feed)
        let subscription = feed.subscribe(to: ["data"], initial: false, bufferingPolicy: .unbounded)
        let releases = Atomic(0)
        for round in 1...3 {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: UInt8(round))
            guard let start = bytes.baseAddress else { return }
            let data = unsafe Data(
                bytesNoCopy: start,
                count: 100,
                deallocator: .custom { start, _ in
                    unsafe start.deallocate()
                    feed.subscribe(to: ["data"], initial: true, bufferingPolicy: .unbounded)
                        .cancel()
                    releases.add(1, ordering: .relaxed)
                }
            )
            try store.setStoredValue(.data(data), for: "data")
            _ = subscription.take()
        }
        try store.setStoredValue(nil, for: "data")
        _ = subscription.take()
        #expect(releases.load(ordering: .relaxed) == 3)
    }
}

/// A medium that keeps text and makes a value of it for each read.
private final class TextBackend: KVBackend {
    private let texts = Mutex<[String: String]>([:])

    func read(_ name: String) throws -> PropertyListValue? {
        try texts.withLock { $0[name] }.map { try PropertyListValue(jsonText: $0) }
    }

    func readAll() throws -> [String: PropertyListValue] {
        try texts.withLock { $0 }.mapValues { try PropertyListValue(jsonText: $0) }
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        guard expecting.isMet(by: try readAll()) else { return false }
        for (name, value) in changes { texts.withLock { $0[name] = value?.jsonText } }
        return true
    }

    func flush() {}
}
