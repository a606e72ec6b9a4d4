import KVStoreReactive

/// The preferences again, as a class that a screen can hold and change directly.
///
/// It keeps the same values under the same names as ``TaskFlowPrefs``, so an app can use both while
/// it moves from one to the other.
@MainActor
package final class TaskFlowSettings: KVSettings {
    package let store: ReactiveKVStore

    package init(store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    @KVStored("taskflow.onboardingCompleted") package var onboardingCompleted = false
    @KVStored(TaskFlowPrefsKeys.displayName) package var displayName
    @KVStored("taskflow.theme") package var theme = AppTheme.system
    @KVStored("taskflow.notificationsEnabled") package var notificationsEnabled = true
    @KVStored("taskflow.fontSize") package var fontSize = 16.0
    @KVStored("taskflow.quietHours") package var quietHours = QuietHours()
}

/// When TaskFlow does not disturb, in hours of the day.
package struct QuietHours: Codable, Equatable, Sendable {
    package var start = 22
    package var end = 7
}
