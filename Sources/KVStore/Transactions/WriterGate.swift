import Dispatch
import Synchronization

/// Lets one writer at a time into a medium, and gives up after a deadline.
///
/// A mutex cannot: its holder waits for disks and for other processes, and the next in line must
/// be able to stop waiting. Two threads of a medium that calls back into its own store would trap
/// on a mutex; here the second call is refused.
package final class WriterGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)
    private let holder = Mutex<ThreadID?>(nil)

    package init() {}

    /// Runs a body while no other runs, waiting for those that do.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/busy`` after ten seconds, or at once if
    ///   the calling thread is inside already; what the body throws.
    package func pass<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = ThreadID.current
        if holder.withLock({ $0 == thread }) {
            throw KVStoreError(
                .busy,
                reason: "A backend called its own store while it was committing. "
                    + "This call was refused."
            )
        }
        guard case .success = semaphore.wait(timeout: .now() + .seconds(10)) else {
            throw KVStoreError(
                .busy,
                reason: "Another write to the same store took longer than ten seconds. "
                    + "Nothing was stored."
            )
        }
        holder.withLock { $0 = thread }
        defer {
            holder.withLock { $0 = nil }
            semaphore.signal()
        }
        return try body()
    }
}
