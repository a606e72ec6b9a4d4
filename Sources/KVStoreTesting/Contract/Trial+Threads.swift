import Dispatch
import KVStore
import Synchronization

/// Threads that do something at the same time, and the wait for their end.
///
/// They are threads and not tasks because stores block: a store that waits for its turn on a thread
/// of the cooperative pool could keep the pool from running whom it waits for.
final class Threads: Sendable {
    private let trial: Trial
    private let group = DispatchGroup()
    private let failure = Mutex<(any Error)?>(nil)

    init(_ trial: Trial, count: Int, body: @escaping @Sendable (Int) throws -> Void) {
        self.trial = trial
        for index in 0..<count {
            // A serial queue per thread: work of one queue is never put behind that of another.
            DispatchQueue(label: "KVStoreTesting.thread").async(group: group) {
                do {
                    try body(index)
                } catch {
                    self.failure.withLock { $0 = $0 ?? error }
                }
            }
        }
    }

    /// Waits on the calling thread for all to end, and throws the first error of theirs.
    func wait(times factor: Int = 1) throws {
        let limit = Double(factor) * trial.patience.seconds
        var steps = trial.progress.count
        while case .timedOut = group.wait(timeout: .now() + limit) {
            guard trial.progress.count == steps else {
                steps = trial.progress.count
                continue
            }
            throw trial.violation(
                expected: "no thread to be blocked for ever",
                found: "no progress in \(limit) seconds"
            )
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Waits for all to end, and throws the first error of theirs.
    func join(times factor: Int = 1) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "KVStoreTesting.join").async {
                continuation.resume(with: Result { try self.wait(times: factor) })
            }
        }
    }
}

extension Trial {
    /// Starts threads that each run a body with their number, from 0.
    func startThreads(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) -> Threads {
        Threads(self, count: count, body: body)
    }

    /// Runs a body on another thread and waits for it on this one.
    func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
        try startThreads(1) { _ in try body() }.wait()
    }
}

extension Trial {
    /// Runs a write again for as long as the store says that it is busy.
    ///
    /// A store may say so after a while under load, and then it stored nothing. Whether it ever
    /// comes to an end is for who waits for the thread.
    func insisting<Result>(_ write: () throws -> Result) throws -> Result {
        while true {
            do {
                let result = try write()
                progress.step()
                return result
            } catch let error as KVStoreError where error.code == .busy {
                continue
            }
        }
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
