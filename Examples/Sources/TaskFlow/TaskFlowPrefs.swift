import KVStoreReactive

/// TaskFlow's preferences, as the rest of the app sees them.
package protocol TaskFlowPrefsProtocol: Sendable {
    var onboardingCompleted: Bool { get }
    var displayName: String? { get }
    var theme: AppTheme { get }
    var notificationsEnabled: Bool { get }
    var fontSize: Double { get }

    func completeOnboarding() throws
    func setDisplayName(_ name: String?) throws
    func setTheme(_ theme: AppTheme) throws
    func setNotificationsEnabled(_ enabled: Bool) throws
    func setFontSize(_ size: Double) throws
    func resetAll() throws

    func themeStream() -> AsyncStream<AppTheme?>
    func fontSizeStream() -> AsyncStream<Double?>
}

/// The preferences over any store: `UserDefaults` in the app, memory in its tests.
package final class TaskFlowPrefs: TaskFlowPrefsProtocol {
    private let store: ReactiveKVStore

    package init(store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    package var onboardingCompleted: Bool {
        store.get(TaskFlowPrefsKeys.onboardingCompleted) ?? false
    }

    package var displayName: String? {
        store.get(TaskFlowPrefsKeys.displayName)
    }

    package var theme: AppTheme {
        store.get(TaskFlowPrefsKeys.theme) ?? .system
    }

    package var notificationsEnabled: Bool {
        store.get(TaskFlowPrefsKeys.notificationsEnabled) ?? true
    }

    package var fontSize: Double {
        store.get(TaskFlowPrefsKeys.fontSize) ?? 16
    }

    package func completeOnboarding() throws {
        try store.set(TaskFlowPrefsKeys.onboardingCompleted, value: true)
    }

    package func setDisplayName(_ name: String?) throws {
        try store.set(TaskFlowPrefsKeys.displayName, value: name)
    }

    package func setTheme(_ theme: AppTheme) throws {
        try store.set(TaskFlowPrefsKeys.theme, value: theme)
    }

    package func setNotificationsEnabled(_ enabled: Bool) throws {
        try store.set(TaskFlowPrefsKeys.notificationsEnabled, value: enabled)
    }

    package func setFontSize(_ size: Double) throws {
        try store.set(TaskFlowPrefsKeys.fontSize, value: size)
    }

    package func resetAll() throws {
        try store.removeAll()
    }

    package func themeStream() -> AsyncStream<AppTheme?> {
        store.stream(TaskFlowPrefsKeys.theme)
    }

    package func fontSizeStream() -> AsyncStream<Double?> {
        store.stream(TaskFlowPrefsKeys.fontSize)
    }
}
