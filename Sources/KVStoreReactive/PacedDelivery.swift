package import KVStore
import Synchronization

/// Hands the values of one subscription to a receiver: in order, one at a time, and no more of them
/// than it asked for.
///
/// What was not asked for yet waits in the subscription, undecoded. Values are handed over by
/// whoever makes one possible, on the same thread and under no lock: the writer of a change, or the
/// caller of ``request(_:)``. A thread that finds another one at it, or is called from inside the
/// receiver, leaves the work to the one that has begun. So nobody waits and nothing recurses,
/// and no task or thread is needed.
package final class PacedDelivery<Element: Sendable>: Sendable {
    private struct State: Sendable {
        /// Nil once the delivery has ended or was cancelled.
        var receiver: (any PacedReceiver<Element>)?
        var demand = PacedDemand.none
        /// Whether a thread is handing values over.
        var isDelivering = false
        /// Whether that thread has to look once more before it stops.
        var mayHaveMore = false
    }

    private let subscription: KVSubscription
    private let read: @Sendable (KVSubscription.Delivery) -> Element
    private let state: Mutex<State>

    /// Creates a delivery that hands nothing over yet.
    package init(
        of subscription: KVSubscription,
        to receiver: any PacedReceiver<Element>,
        read: @escaping @Sendable (KVSubscription.Delivery) -> Element
    ) {
        self.subscription = subscription
        self.read = read
        state = Mutex(State(receiver: receiver))
    }

    /// Begins to follow the subscription, once the receiver is ready to be called.
    package func start() {
        // Weak, so that a receiver that forgets to cancel takes the subscription with it.
        subscription.setSignal { [weak self] in self?.deliver() }
        deliver()
    }

    /// Asks for more values, in addition to those asked for before.
    package func request(_ demand: PacedDemand) {
        state.withLock { $0.demand.add(demand) }
        deliver()
    }

    /// Ends the delivery and releases the receiver; calling it again does nothing.
    ///
    /// A value that another thread is handing over at this moment still arrives.
    package func cancel() {
        let receiver = state.withLock { $0.receiver.take() }
        subscription.cancel()
        withExtendedLifetime(receiver) {}  // Its release runs the program's code: under no lock.
    }

    private func deliver() {
        let isFirst = state.withLock { state in
            state.mayHaveMore = true
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while state.withLock({ state in
            state.isDelivering = state.mayHaveMore
            state.mayHaveMore = false
            return state.isDelivering
        }) {
            deliverWhatIsWanted()
        }
    }

    private func deliverWhatIsWanted() {
        while let receiver = state.withLock({ $0.receiver }) {
            let isWanted = state.withLock { $0.demand.isPositive }
            guard isWanted, case .element(let delivery) = subscription.take() else {
                if subscription.isExhausted {
                    state.withLock { $0.receiver.take() }?.finish()
                }
                return
            }
            let element = read(delivery)
            // Decoding is the program's code, which may have cancelled.
            let isOn = state.withLock { state in
                state.demand.takeOne()
                return state.receiver != nil
            }
            guard isOn else { return }
            let more = receiver.receive(element)
            state.withLock { $0.demand.add(more) }
        }
    }
}

/// Who gets the values of a ``PacedDelivery``.
package protocol PacedReceiver<Element>: Sendable {
    associatedtype Element

    /// Takes a value, and returns how many more are wanted.
    func receive(_ element: Element) -> PacedDemand

    /// Is called once, after the last value.
    func finish()
}

/// How many values a receiver is ready to take.
package enum PacedDemand: Equatable, Sendable {
    case limited(Int)
    case unlimited

    package static var none: PacedDemand { .limited(0) }

    fileprivate var isPositive: Bool {
        switch self {
        case .limited(let count): count > 0
        case .unlimited: true
        }
    }

    /// Adds a demand; an unlimited one stays unlimited.
    fileprivate mutating func add(_ more: PacedDemand) {
        guard case .limited(let count) = self, case .limited(let added) = more else {
            self = .unlimited
            return
        }
        let (sum, isOverflow) = count.addingReportingOverflow(added)
        self = isOverflow ? .unlimited : .limited(sum)
    }

    fileprivate mutating func takeOne() {
        if case .limited(let count) = self { self = .limited(count - 1) }
    }
}
