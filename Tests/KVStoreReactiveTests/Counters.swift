import Foundation
import Synchronization

/// A number that several tasks change.
final class Counter: Sendable {
    private let number = Atomic(0)

    /// Adds an amount and returns the sum.
    @discardableResult
    func add(_ amount: Int) -> Int {
        number.wrappingAdd(amount, ordering: .relaxed).newValue
    }
}

/// A flag that one task sets for others.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() {
        state.store(true, ordering: .relaxed)
    }
}

/// Runs a body on a thread of its own, for work that does not give its thread back.
func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            body()
            continuation.resume()
        }
    }
}
