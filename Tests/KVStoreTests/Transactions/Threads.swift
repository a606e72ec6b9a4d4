import Dispatch

/// Runs a body on another thread and waits for it, as a writer would that comes in between.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
        body()
        isDone.signal()
    }
    isDone.wait()
}
