import Dispatch
import Synchronization

/// Lets writers who want their commits flushed share the flushes.
///
/// One of them flushes everything that was appended before it began; those who come meanwhile wait,
/// and one of them does the next.
package final class FlushGroup: Sendable {
    private struct State {
        /// The number of the last commit that is flushed.
        var flushed: UInt64 = 0
        var isFlushing = false
        var waiting: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether commits up to a number are flushed already.
    func isFlushed(_ number: UInt64) -> Bool {
        state.withLock { $0.flushed >= number }
    }

    /// Notes that commits up to a number are on the disk.
    func note(_ number: UInt64) {
        state.withLock { $0.flushed = max($0.flushed, number) }
    }

    /// Forgets what was flushed: another history has begun.
    func reset(to number: UInt64 = 0) {
        state.withLock { $0.flushed = number }
    }

    /// Returns when commits up to a number are flushed.
    ///
    /// - Parameters:
    ///   - number: The number of the commit.
    ///   - flush: Flushes the journal, in which the commit is, and returns the number of the last
    ///     that was in it before.
    /// - Throws: What flushing throws.
    func wait<Failure: Error>(
        for number: UInt64,
        flush: () throws(Failure) -> UInt64
    ) throws(Failure) {
        while true {
            let (isFlushed, turn) = state.withLock { state -> (Bool, DispatchSemaphore?) in
                if state.flushed >= number { return (true, nil) }
                guard state.isFlushing else {
                    state.isFlushing = true
                    return (false, nil)
                }
                let turn = DispatchSemaphore(value: 0)
                state.waiting.append(turn)
                return (false, turn)
            }
            if isFlushed { return }
            if let turn {
                turn.wait()
                continue
            }
            defer {
                let waiting = state.withLock { state in
                    state.isFlushing = false
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for turn in waiting { turn.signal() }
            }
            note(max(number, try flush()))
        }
    }
}
