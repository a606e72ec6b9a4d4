import Foundation

/// An executor with a few threads of its own, which jobs may block.
final class WorkerThreads: TaskExecutor, @unchecked Sendable {
    static let shared = WorkerThreads(count: 3)

    private let condition = NSCondition()
    // Read and written with the condition locked only.
    private var jobs: [UnownedJob] = []

    private init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { self.work() }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    private func work() {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
