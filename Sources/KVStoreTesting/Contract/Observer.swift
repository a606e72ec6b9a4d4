import KVStore
import Synchronization

/// A subscription whose deliveries are waited for within bounds.
final class Observer: Sendable {
    let subscription: KVSubscription
    private let trial: Trial
    private let isLate: Lateness
    private let watchdog: Task<Void, Never>

    /// Whether the watchdog ended the subscription.
    private final class Lateness: Sendable {
        let value = Atomic(false)
    }

    init(_ subscription: KVSubscription, _ trial: Trial) {
        self.subscription = subscription
        self.trial = trial
        let isLate = Lateness()
        self.isLate = isLate
        let patience = trial.patience
        let progress = trial.progress
        // Cancelling is what ends a wait for a delivery that never comes.
        watchdog = Task { [weak subscription] in
            var steps: Int
            repeat {
                steps = progress.count
                do {
                    try await Task.sleep(for: patience)
                } catch {
                    return
                }
            } while progress.count != steps
            isLate.value.store(true, ordering: .sequentiallyConsistent)
            subscription?.cancel()
        }
    }

    deinit {
        watchdog.cancel()
    }

    /// Returns the next delivery.
    func next(_ what: @autoclosure () -> String) async throws -> KVSubscription.Delivery {
        if let delivery = await subscription.next() {
            trial.progress.step()
            return delivery
        }
        throw trial.violation(
            expected: what(),
            found: hasExpired
                ? "none in \(trial.patience.seconds) seconds" : "the end of the subscription"
        )
    }

    /// Returns the deliveries up to the first that a test accepts, with it.
    func deliveries(
        until isLast: (KVSubscription.Delivery) -> Bool,
        _ what: @autoclosure () -> String
    ) async throws -> [KVSubscription.Delivery] {
        var deliveries: [KVSubscription.Delivery] = []
        while true {
            let delivery = try await next(what())
            deliveries.append(delivery)
            if isLast(delivery) { return deliveries }
        }
    }

    /// Checks that the subscription has ended, or ends.
    func expectEnd(_ what: @autoclosure () -> String) async throws {
        let delivery = await subscription.next()
        try trial.expect(delivery == nil, what(), found: "another delivery")
        try trial.expect(!hasExpired, what(), found: "a wait of \(trial.patience.seconds) seconds")
    }

    private var hasExpired: Bool {
        isLate.value.load(ordering: .sequentiallyConsistent)
    }
}

extension Trial {
    /// The key that rules write last, to know that everything before it was delivered.
    static let endMark = "end mark"

    /// Starts to follow keys of a store.
    func observe(
        _ names: [String]?,
        of store: any KVStoring,
        initial: Bool = true,
        bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy =
            .unbounded
    ) throws -> Observer {
        let subscription = try feed(of: store).subscribe(
            to: names,
            initial: initial,
            bufferingPolicy: bufferingPolicy
        )
        return Observer(subscription, self)
    }

    /// Runs a body that writes to a store, and returns the values of a key that were delivered.
    ///
    /// What was delivered is known without waiting for what does not come: the end mark, written
    /// last, is followed too.
    func values(
        of name: String,
        in store: any KVStoring,
        initial: Bool = true,
        while body: (any KVStoring) async throws -> Void
    ) async throws -> [PropertyListValue?] {
        let observer = try observe([name, Self.endMark], of: store, initial: initial)
        try await body(store)
        try store.setStoredValue(true, for: Self.endMark)
        return try await observer.deliveries(until: \.isEndMark, "the mark that was written last")
            .dropLast().map { $0.values.first ?? nil }
    }

    /// Runs a body that writes to a store, and returns its commits.
    func commits(
        to store: any KVStoring,
        while body: (any KVStoring) async throws -> Void
    ) async throws -> [KVCommit] {
        let observer = try observe(nil, of: store, initial: false)
        try await body(store)
        try store.setStoredValue(true, for: Self.endMark)
        return try await observer.deliveries(until: \.isEndMark, "the mark that was written last")
            .dropLast().compactMap(\.commit)
    }
}

extension KVSubscription.Delivery {
    /// Whether this delivery belongs to the commit of the end mark.
    var isEndMark: Bool {
        commit?.change(of: Trial.endMark)?.new != nil
    }
}
