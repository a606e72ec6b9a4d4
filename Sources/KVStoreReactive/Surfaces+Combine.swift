#if Combine && canImport(Combine)
public import Combine
public import KVStore

extension ReactiveKVStore {
    /// Returns a publisher of a key's value: what it is now, then what it becomes.
    ///
    /// ```swift
    /// store.publisher(Keys.fontSize)
    ///     .receive(on: DispatchQueue.main)
    ///     .sink { label.fontSize = $0 }
    ///     .store(in: &cancellables)
    /// ```
    ///
    /// A subscriber gets the value at its subscription, then each change, in the order of commits,
    /// without a gap or a repeat. A value that cannot be read gives the key's fallback. Values that
    /// the subscriber has no demand for wait, each subscriber's on their own; no task is used.
    ///
    /// Values arrive one at a time on the thread of a writer, before its write returns, or on the
    /// thread that asks for them. Cancelling ends the subscription; if the last store over the
    /// domain goes, it finishes.
    ///
    /// Type-checked and run against a stand-in of Combine on Linux only.
    ///
    /// - Parameter key: The key to follow.
    /// - Returns: A publisher that never fails; it may be subscribed to any number of times.
    public nonisolated func publisher<Key: KVKeyProtocol>(
        _ key: Key
    ) -> some Publisher<Key.Reading, Never> {
        ValuePublisher(store: self, key: ErasedKey(key))
    }

    /// Returns a publisher of the value of a key for an optional type.
    ///
    /// - Parameter key: The key to follow.
    /// - Returns: A publisher that never fails; it may be subscribed to any number of times.
    public nonisolated func publisher<Wrapped>(
        _ key: KVKey<Wrapped?>
    ) -> some Publisher<Wrapped?, Never> {
        ValuePublisher(store: self, key: ErasedKey(key))
    }
}

extension KVHandle {
    /// A publisher of the value: what it is now, then what it becomes.
    ///
    /// It does what ``ReactiveKVStore/publisher(_:)`` does. Type-checked and run against a stand-in
    /// of Combine on Linux only.
    public var publisher: some Publisher<Value, Never> {
        link.store.publisher(link.key)
    }
}

private struct ValuePublisher<Output: Sendable>: Publisher, Sendable {
    typealias Failure = Never

    let store: ReactiveKVStore
    let key: ErasedKey<Output>

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let delivery = PacedDelivery(
            of: store.observedFeed.subscribe(
                to: [key.name],
                initial: true,
                bufferingPolicy: .unbounded
            ),
            to: SerialSubscriber(subscriber),
            read: { [key] delivery in
                do {
                    return try key.reading(delivery.values.first ?? nil)
                } catch {
                    return key.fallback
                }
            }
        )
        subscriber.receive(subscription: ValueSubscription(delivery))
        // The subscriber is to have its subscription before anything else.
        delivery.start()
    }
}

private final class ValueSubscription<Output: Sendable>: Subscription, Sendable {
    private let delivery: PacedDelivery<Output>

    init(_ delivery: PacedDelivery<Output>) {
        self.delivery = delivery
    }

    func request(_ demand: Subscribers.Demand) {
        delivery.request(PacedDemand(demand))
    }

    func cancel() {
        delivery.cancel()
    }
}

/// A subscriber that is handed from one writer's thread to another.
///
/// Unchecked because subscribers are not declared `Sendable` although Combine calls them on any
/// thread. What it asks for is that two calls never overlap, and the delivery sees to that.
private struct SerialSubscriber<Downstream: Subscriber>: PacedReceiver, @unchecked Sendable
where Downstream.Failure == Never {
    private let subscriber: Downstream

    init(_ subscriber: Downstream) {
        self.subscriber = subscriber
    }

    func receive(_ element: Downstream.Input) -> PacedDemand {
        PacedDemand(subscriber.receive(element))
    }

    func finish() {
        subscriber.receive(completion: .finished)
    }
}

extension PacedDemand {
    fileprivate init(_ demand: Subscribers.Demand) {
        if let limit = demand.max {
            self = .limited(limit)
        } else {
            self = .unlimited
        }
    }
}
#endif
