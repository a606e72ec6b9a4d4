import Synchronization

/// The deliveries of one subscription, between the writers and the consumer.
///
/// Writers insert while they hold the state lock of their store, so the order of insertion is the
/// order of commits. They must not resume the consumer there: cancelling a task holds a lock of
/// that task and wants the store's, and resuming a task holds the store's and wants the task's; a
/// task executor may even run the consumer at once, on the writer's stack. ``send(_:)`` therefore
/// hands out what is to be resumed, and the writer does so after unlocking.
package final class Mailbox<Element: Sendable>: Sendable {
    package typealias Policy = AsyncStream<Element>.Continuation.BufferingPolicy

    /// A consumer that waits.
    ///
    /// Safe because a waiter is taken out of the state in the step that decides to resume it, so it
    /// is resumed once, and ``finish(discarding:)`` resumes those that are left.
    @safe
    fileprivate struct Waiter: Sendable {
        private let continuation: UnsafeContinuation<Element?, Never>

        init(_ continuation: UnsafeContinuation<Element?, Never>) {
            unsafe self.continuation = continuation
        }

        func resume(returning element: Element?) {
            unsafe continuation.resume(returning: element)
        }
    }

    /// What is called after each insertion; in a box, because few mailboxes have one.
    fileprivate final class Signal: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) {
            self.call = call
        }
    }

    /// What a writer does once it has unlocked: wake a consumer, release what was displaced.
    package struct Wakeup: Sendable {
        fileprivate let waiter: Waiter?
        fileprivate let element: Element?
        fileprivate var signal: Signal?

        package func perform() {
            waiter?.resume(returning: element)
            signal?.call()
        }
    }

    /// What a consumer finds that does not wait.
    package enum Taken: Sendable {
        case element(Element)
        /// Nothing is there at this moment.
        case empty
        /// Nothing is there, and nothing will come.
        case ended
    }

    private struct State {
        var buffer: [Element?] = []
        var waiting: [Waiter] = []
        var signal: Signal?
        /// The index of the oldest element in `buffer`; those before it have been taken.
        ///
        /// It has this size for the sake of the mailbox's, of which there may be thousands.
        var head: UInt32 = 0
        var isFinished = false

        var count: Int { buffer.count - Int(head) }

        mutating func append(_ element: Element) {
            if head > 16, head * 2 > buffer.count {
                buffer.removeFirst(Int(head))
                head = 0
            }
            buffer.append(element)
        }

        mutating func takeFirst() -> Element? {
            guard head < buffer.count else { return nil }
            let element = buffer[Int(head)]
            buffer[Int(head)] = nil
            head += 1
            if head == buffer.count {
                buffer.removeAll(keepingCapacity: head <= 64)
                head = 0
            }
            return element
        }
    }

    private let state = Mutex(State())
    private let policy: Policy

    package init(policy: Policy) {
        self.policy = policy
    }

    /// Inserts an element; the caller performs the result once it holds no lock.
    ///
    /// An element that the policy drops comes back in the result, because releasing it may run
    /// code of the program: `Data` has deallocators.
    package func send(_ element: Element) -> Wakeup? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            if !state.waiting.isEmpty {
                return Wakeup(waiter: state.waiting.removeFirst(), element: element)
            }
            switch policy {
            case .bufferingNewest(let limit) where state.count >= limit:
                guard limit > 0 else { return Wakeup(waiter: nil, element: element) }
                let dropped = state.takeFirst()
                state.append(element)
                return Wakeup(waiter: nil, element: dropped, signal: state.signal)
            case .bufferingOldest(let limit) where state.count >= limit:
                return Wakeup(waiter: nil, element: element)
            default:
                state.append(element)
                guard let signal = state.signal else { return nil }
                return Wakeup(waiter: nil, element: nil, signal: signal)
            }
        }
    }

    /// Takes the oldest element, waiting for one; nil once the mailbox is finished and empty.
    ///
    /// Several callers may wait; each element goes to one of them, in the order of their calls.
    package func next() async -> Element? {
        await unsafe withUnsafeContinuation { continuation in
            let waiter = unsafe Waiter(continuation)
            let ready: Element?? = state.withLock { state in
                if let element = state.takeFirst() { return .some(element) }
                if state.isFinished { return .some(nil) }
                state.waiting.append(waiter)
                return nil
            }
            if let ready { waiter.resume(returning: ready) }
        }
    }

    /// Takes the oldest element if there is one.
    package func take() -> Taken {
        state.withLock { state in
            if let element = state.takeFirst() { return .element(element) }
            return state.isFinished ? .ended : .empty
        }
    }

    /// Whether there is nothing, and nothing will come.
    package var isExhausted: Bool {
        state.withLock { $0.isFinished && $0.count == 0 }
    }

    /// Sets what is called after each insertion and after the end, on the thread that made it and
    /// under no lock; for consumers that take and do not wait.
    ///
    /// What happened before is not signalled: the consumer looks once after this call.
    package func setSignal(_ signal: @escaping @Sendable () -> Void) {
        let signal = Signal(signal)
        let displaced = state.withLock { state in
            defer { state.signal = signal }
            return state.signal
        }
        _ = displaced  // Released here, outside the lock.
    }

    /// Ends the mailbox: waiting consumers get nil, and later ones too once it is empty.
    package func finish(discarding: Bool) {
        let (waiting, discarded, signal) = state.withLock { state in
            state.isFinished = true
            let signal = state.signal
            state.signal = nil
            let waiting = state.waiting
            state.waiting = []
            var discarded: [Element?] = []
            if discarding {
                swap(&discarded, &state.buffer)
                state.head = 0
            }
            return (waiting, discarded, signal)
        }
        for waiter in waiting { waiter.resume(returning: nil) }
        signal?.call()
        _ = discarded  // Released here, outside the lock.
    }
}
