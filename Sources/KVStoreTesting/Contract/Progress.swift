import Synchronization

/// Counts the steps that a check gets on, to tell a store that hangs from one that is slow.
final class Progress: Sendable {
    private let steps = Atomic(0)

    var count: Int { steps.load(ordering: .relaxed) }

    func step() { steps.wrappingAdd(1, ordering: .relaxed) }
}
