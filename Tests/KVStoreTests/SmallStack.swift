import Foundation

/// Runs a body on a thread with a stack of 512 KB, as secondary threads have on Apple's systems.
func onSmallStack<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
