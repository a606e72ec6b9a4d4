import Dispatch
import Synchronization

/// Lets writers who want their commits flushed share the flushes.
///
/// One of them flushes everything that was appended before it began; those who come meanwhile wait,
/// and one of them does the next.
package final class FlushGroup: Sendable {
    private struct State {
        /// The last version of memory that is flushed.
        var flushed: UInt64 = 0
        var isFlushing = false
        var waiting: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Notes that what memory holds at a version is on the disk.
    func note(_ version: UInt64) {
        state.withLock { $0.flushed = max($0.flushed, version) }
    }

    /// Returns when what memory held at a version is flushed.
    ///
    /// Versions are counted by this process, and go up also where the numbers of commits begin anew.
    ///
    /// - Parameters:
    ///   - version: A version that has the commit.
    ///   - flush: Flushes the journal, in which the commit is, and returns the version of memory
    ///     before.
    /// - Throws: What flushing throws.
    func wait<Failure: Error>(
        for version: UInt64,
        flush: () throws(Failure) -> UInt64
    ) throws(Failure) {
        while true {
            let (isFlushed, turn) = state.withLock { state -> (Bool, DispatchSemaphore?) in
                if state.flushed >= version { return (true, nil) }
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
            note(max(version, try flush()))
        }
    }
}
