import KVStore
import Synchronization
import Testing

/// What happens while a subscription to a view joins: at the moments at which another thread may
/// come in between, the test does what that thread would.
@Suite("Joining the commits of a view", .timeLimit(.minutes(10)))
struct LayersJoiningTests {
    private let key = KVKey<Int>("key")
    private let store = HookedStore()
    /// The same store as a scope, and as a layer under another one.
    private var views: [any KVStoring] {
        [store.scoped(to: "a."), LayeredKVStore(InMemoryKVStore(), store).scoped(to: "a.")]
    }

    private func subscribe(to view: any KVStoring) throws -> KVSubscription {
        try #require(view.feed).subscribe(
            to: ["key"],
            initial: true,
            bufferingPolicy: .unbounded
        )
    }

    private func write(_ value: Int) {
        KVStoreError.withHandler({ Issue.record($0) }) { store[KVKey<Int>("a.key")] = value }
    }

    /// Checks the values that a subscription gives, and that its commits are numbered in turn.
    private func expect(
        _ values: [PropertyListValue?],
        from subscription: KVSubscription,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var found: [PropertyListValue?] = []
        var numbers: [UInt64] = []
        while found.count < values.count {
            let delivery = try #require(await subscription.next())
            found += delivery.values
            if let commit = delivery.commit { numbers.append(commit.sequence) }
        }
        #expect(found == values, sourceLocation: sourceLocation)
        #expect(numbers == Array((numbers.first ?? 1)..<(numbers.last ?? 0) + 1))
    }

    @Test func commitsBeforeAndAfterTheTapComeOnce() async throws {
        for view in views {
            write(0)
            let early = try subscribe(to: view)
            store.hook(.before { write(1) }, .after { write(2) })
            let late = try subscribe(to: view)
            write(3)
            try await expect([0, 1, 2, 3], from: early)
            try await expect([1, 2, 3], from: late)
        }
    }

    @Test func aSubscriptionThatIsOvertakenIsBroughtUpToDate() async throws {
        for view in views {
            write(0)
            let early = try subscribe(to: view)
            let inner = Keeper()
            store.hook(
                .after {
                    write(1)
                    inner.keep(try? subscribe(to: view))
                    write(2)
                }
            )
            let late = try subscribe(to: view)
            write(3)
            try await expect([0, 1, 2, 3], from: early)
            try await expect([1, 2, 3], from: #require(inner.kept))
            try await expect([1, 2, 3], from: late)
        }
    }

    @Test func theLastSubscriptionMayGoWhileAnotherJoins() async throws {
        for view in views {
            write(0)
            let early = try subscribe(to: view)
            store.hook(.after { early.cancel() }, .after { write(1) })
            let late = try subscribe(to: view)
            write(2)
            try await expect([0, 1, 2], from: late)
        }
    }
}

private final class Keeper: Sendable {
    private let subscription = Mutex<KVSubscription?>(nil)

    var kept: KVSubscription? { subscription.withLock { $0 } }

    func keep(_ new: KVSubscription?) {
        subscription.withLock { $0 = new }
    }
}

/// A store in memory, whose next tap comes with something before or after it.
private struct HookedStore: KVStoring {
    enum Hook: Sendable {
        case before(@Sendable () -> Void)
        case after(@Sendable () -> Void)
    }

    private struct HookedFeed: TappableFeed {
        let feed: any TappableFeed
        let hooks: Box

        func subscribe(
            to names: [String]?,
            initial: Bool,
            bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy
        ) -> KVSubscription {
            feed.subscribe(to: names, initial: initial, bufferingPolicy: bufferingPolicy)
        }

        func observe(
            _ names: [String]?,
            handler: @escaping @Sendable (KVSubscription.Delivery) -> Void
        ) -> KVSubscription {
            feed.observe(names, handler: handler)
        }

        func tap(_ names: [String]) -> KVSubscription {
            let due = hooks.hooks.withLock { hooks in
                defer { hooks = [] }
                return hooks
            }
            for case .before(let hook) in due { hook() }
            let tap = feed.tap(names)
            for case .after(let hook) in due { hook() }
            return tap
        }
    }

    final class Box: Sendable {
        let hooks = Mutex<[Hook]>([])
    }

    private let store = InMemoryKVStore()
    private let box = Box()

    func hook(_ hooks: Hook...) {
        box.hooks.withLock { $0 = hooks }
    }

    var feed: (any KVFeed)? {
        (store.feed as? any TappableFeed).map { HookedFeed(feed: $0, hooks: box) }
    }

    func storedValue(for name: String) -> PropertyListValue? { store.storedValue(for: name) }
    func storedValues() -> [String: PropertyListValue] { store.storedValues() }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try store.setStoredValue(value, for: name)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try store.transaction(body)
    }

    func flush() {}
}
