import Dispatch
import Synchronization

/// Who has a turn on a domain, and which threads are inside a body.
///
/// The turn lets a transaction that keeps losing get through. While one thread has it, writers on
/// other threads wait before they commit, but only for `courtesy`: the turn is held while a body
/// runs, and a body may itself be waiting for one of those writers.
package final class TurnQueue: Sendable {
    /// How long other writers wait for whoever has the turn.
    ///
    /// It differs from one time to the next: two transactions that have the turns of each other's
    /// stores would else wait equally long, go on together and be in conflict again.
    private static var courtesy: DispatchTimeInterval {
        .microseconds(Int.random(in: 1_000...20_000))
    }

    private struct State {
        var inside: Set<ThreadID> = []
        var holder: ThreadID?
        /// Transactions that want the turn, first come first.
        var claimants: [DispatchSemaphore] = []
        /// Writers that wait for the turn to pass.
        var bystanders: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    /// Zero while no thread is inside a body and nobody has the turn: writers need no lock then.
    private let activity = Atomic<Int>(0)

    package init() {}

    /// Throws if the calling thread is inside a body of this domain.
    package func refuseInsideBody() throws {
        guard activity.load(ordering: .relaxed) != 0 else { return }
        let isInside = state.withLock { $0.inside.contains(.current) }
        if isInside {
            throw KVStoreError(
                .nestedWrite,
                reason: "A transaction's body wrote to its own store other than through the "
                    + "transaction it was given. This write was refused."
            )
        }
    }

    /// Lets a writer on: throws inside a body of this domain, and waits for another's turn.
    @inline(__always)
    package func admitWriter() throws {
        guard activity.load(ordering: .relaxed) != 0 else { return }
        try admitWriterAmongOthers()
    }

    private func admitWriterAmongOthers() throws {
        try refuseInsideBody()
        let wait: DispatchSemaphore? = state.withLock { state in
            guard let holder = state.holder, holder != .current else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.bystanders.append(semaphore)
            return semaphore
        }
        _ = wait?.wait(timeout: .now() + Self.courtesy)
    }

    /// Runs a body, during which the thread counts as inside.
    package func runBody<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = ThreadID.current
        activity.wrappingAdd(1, ordering: .relaxed)
        state.withLock { _ = $0.inside.insert(thread) }
        defer {
            state.withLock { _ = $0.inside.remove(thread) }
            activity.wrappingSubtract(1, ordering: .relaxed)
        }
        return try body()
    }

    /// Takes the turn, waiting for those who asked before; false if the time is over first.
    package func take(until end: ContinuousClock.Instant) -> Bool {
        let ticket = DispatchSemaphore(value: 0)
        let thread = ThreadID.current
        let isFree = state.withLock { state in
            guard state.holder != nil else {
                state.holder = thread
                activity.wrappingAdd(1, ordering: .relaxed)
                return true
            }
            state.claimants.append(ticket)
            return false
        }
        if isFree { return true }
        let left = ContinuousClock.now.duration(to: end)
        let seconds = Double(left.components.seconds) + Double(left.components.attoseconds) * 1e-18
        if case .success = ticket.wait(timeout: .now() + max(0, seconds)) {
            state.withLock { $0.holder = thread }
            return true
        }
        // The turn may have come in the moment in which the wait ended.
        let isLate = state.withLock { state in
            guard let index = state.claimants.firstIndex(where: { $0 === ticket }) else {
                state.holder = thread
                return true
            }
            state.claimants.remove(at: index)
            return false
        }
        return isLate
    }

    /// Gives the turn to the next in line and lets waiting writers on.
    package func passOn() {
        let wake = state.withLock { state in
            var wake = state.bystanders
            state.bystanders = []
            if state.claimants.isEmpty {
                state.holder = nil
                activity.wrappingSubtract(1, ordering: .relaxed)
            } else {
                // The holder is set by the thread that wakes; until then it is nobody's own.
                wake.append(state.claimants.removeFirst())
            }
            return wake
        }
        for semaphore in wake { semaphore.signal() }
    }
}
