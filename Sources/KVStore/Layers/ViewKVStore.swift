/// A store seen through a view: what scopes and layered stores are.
final class ViewKVStore: KVStoring {
    let view: StoreView
    let base: any KVStoring
    private let hub: ViewHub

    init(_ view: StoreView, of base: any KVStoring) {
        self.view = view
        self.base = base
        hub = ViewHub(
            prefix: view.prefix,
            layerCount: view.above.count + 1 + view.below.count,
            written: view.above.count
        )
    }

    func storedValue(for name: String) throws -> PropertyListValue? {
        try view.storedValue(for: name, in: base)
    }

    func storedValues() throws -> [String: PropertyListValue] {
        try view.storedValues(in: base)
    }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try view.setStoredValue(value, for: name, in: base)
    }

    func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool {
        view.contains(key.name, in: base)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try base.transaction { transaction in
            let seen = KVTransaction(through: view, on: transaction)
            defer { _ = seen.end() }
            return try body(seen)
        }
    }

    func flush() throws {
        try base.flush()
    }

    var feed: (any KVFeed)? {
        guard base.feed is any TappableFeed else { return nil }
        return ViewFeed(hub: hub, layers: view.above + [base] + view.below)
    }
}

/// The feed of a view.
///
/// Subscriptions keep its hub and not its layers.
private struct ViewFeed: TappableFeed {
    let hub: ViewHub
    let layers: [any KVStoring]

    func subscribe(
        to names: [String]?,
        initial: Bool,
        bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy
    ) -> KVSubscription {
        let mailbox = Mailbox<KVSubscription.Delivery>(policy: bufferingPolicy)
        return hub.subscribe(.mailbox(mailbox), to: names, initial: initial, over: layers)
    }

    func observe(
        _ names: [String]?,
        handler: @escaping @Sendable (KVSubscription.Delivery) -> Void
    ) -> KVSubscription {
        hub.subscribe(.handler(handler), to: names, initial: false, over: layers)
    }

    func tap(_ names: [String]) -> KVSubscription {
        let mailbox = Mailbox<KVSubscription.Delivery>(policy: .unbounded)
        return hub.subscribe(.tap(mailbox), to: names, initial: true, over: layers)
    }
}
