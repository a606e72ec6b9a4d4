import Synchronization

/// Lets a few checks run at a time.
///
/// A test framework starts all checks at once, and many of them start threads: what then took too
/// long would say more about the machine than about the store.
enum CheckLimiter {
    private struct State {
        var free = 4
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())

    /// Runs a check when its turn has come.
    static func run(_ check: () async throws -> Void) async throws {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.free += 1
                return nil
            }
            next?.resume()
        }
        try await check()
    }
}
