/// The commits of a store's domain, for those who build on raw values.
///
/// Apps use the typed streams of `ReactiveKVStore`, which are made from this. A store wrapper
/// returns the feed of the store it wraps; the package's stores and ``BackendKVStore`` have one, so
/// there is no need to write a conformance.
public protocol KVFeed: Sendable {
    /// Starts to collect commits.
    ///
    /// The first delivery holds the values of the names at this moment; each later one belongs to a
    /// commit that changed one of them, in commit order, without a gap or a repeat. Whenever a
    /// delivery says that a key has a value, a read gives that value or a newer one.
    ///
    /// - Parameters:
    ///   - names: The names of the keys to follow, or nil for every commit to the domain.
    ///   - initial: Whether the first delivery holds the values of this moment.
    ///   - bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: The subscription, which lasts until it is cancelled or released, or the last
    ///   store over the domain is gone.
    func subscribe(
        to names: [String]?,
        initial: Bool,
        bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy
    ) -> KVSubscription

    /// Calls a handler for each commit from now on.
    ///
    /// The handler runs on the thread that made the commit, before the write returns and under no
    /// lock; it should be quick, and may read and write. When several threads write, its calls may
    /// come out of order: the sequence number of the commit tells.
    ///
    /// - Parameters:
    ///   - names: The names of the keys to follow, or nil for every commit to the domain.
    ///   - handler: Gets the values of the names after the commit, and the commit.
    /// - Returns: The subscription, which lasts until it is cancelled or released.
    func observe(
        _ names: [String]?,
        handler: @escaping @Sendable (KVSubscription.Delivery) -> Void
    ) -> KVSubscription
}

/// A feed that can be followed as a whole from a known state on: what views of a store are fed by.
package protocol TappableFeed: KVFeed {
    /// Collects every commit after a first delivery with the values of some names.
    func tap(_ names: [String]) -> KVSubscription
}

/// A running subscription to a ``KVFeed``.
///
/// It lasts until it is cancelled or released. Deliveries wait in it until ``next()`` takes them;
/// writers never wait for that.
public final class KVSubscription: Sendable {
    /// What a subscription delivers.
    public struct Delivery: Sendable {
        /// The stored values of the names subscribed to, in their order, after the commit.
        ///
        /// Empty for a subscription to every commit.
        public let values: [PropertyListValue?]
        /// The commit, or nil for the first delivery.
        public let commit: KVCommit?
        /// The number of the last commit that the values are of.
        package let sequence: UInt64
    }

    private let registration: CommitHub.Registration
    /// Safe because it is never set again.
    private nonisolated(unsafe) weak var host: (any SubscriptionHost)?

    package init(_ registration: CommitHub.Registration, with host: any SubscriptionHost) {
        self.registration = registration
        unsafe self.host = host
    }

    deinit {
        cancel()
    }

    /// Returns the next delivery, waiting for it; nil once the subscription has ended.
    ///
    /// A subscription with a handler gives nil. Cancelling the task does not end the wait: call
    /// ``cancel()`` from a cancellation handler.
    public func next() async -> Delivery? {
        guard let mailbox = registration.sink.mailbox else { return nil }
        return await mailbox.next()
    }

    /// Takes the next delivery if it is there; a subscription with a handler gives `ended`.
    package func take() -> Mailbox<Delivery>.Taken {
        guard let mailbox = registration.sink.mailbox else { return .ended }
        return mailbox.take()
    }

    /// Whether there is no delivery, and none will come.
    package var isExhausted: Bool {
        guard let mailbox = registration.sink.mailbox else { return true }
        return mailbox.isExhausted
    }

    /// Sets what is called whenever a delivery has come and when the subscription has ended, on the
    /// thread that caused it and under no lock.
    package func setSignal(_ signal: @escaping @Sendable () -> Void) {
        registration.sink.mailbox?.setSignal(signal)
    }

    /// Ends the subscription; calling it again does nothing.
    public func cancel() {
        unsafe host?.deregister(registration)
        registration.sink.mailbox?.finish(discarding: true)
    }
}

/// Where a subscription is registered.
package protocol SubscriptionHost: AnyObject, Sendable {
    /// Removes a subscription; one that is gone already is no error.
    func deregister(_ registration: CommitHub.Registration)
}
