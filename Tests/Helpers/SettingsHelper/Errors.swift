import Synchronization

/// Counts what was reported and not thrown.
final class Errors: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() {
        number.wrappingAdd(1, ordering: .relaxed)
    }
}
