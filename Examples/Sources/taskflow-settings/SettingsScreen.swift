import Observation
import Synchronization
import TaskFlow

/// A screen as a user interface keeps it: what it read is tracked, and when some of that changes, it
/// is rendered again.
@MainActor
final class SettingsScreen {
    private let settings: TaskFlowSettings
    private let isOutdated = Flag()

    init(_ settings: TaskFlowSettings) {
        self.settings = settings
    }

    /// Prints the screen, if anything on it has changed.
    func renderIfNeeded() {
        guard isOutdated.clear() else { return }
        let isOutdated = isOutdated
        withObservationTracking {
            print("  theme: \(settings.theme.rawValue)")
            print("  font size: \(settings.fontSize)")
            print("  quiet from \(settings.quietHours.start) to \(settings.quietHours.end)")
        } onChange: {
            isOutdated.set()
        }
    }
}

/// A flag that any thread may set, as the observers of settings are told where they are written.
private final class Flag: Sendable {
    private let state = Atomic(true)

    func set() {
        state.store(true, ordering: .relaxed)
    }

    /// Clears the flag and returns whether it was set.
    func clear() -> Bool {
        state.exchange(false, ordering: .relaxed)
    }
}
