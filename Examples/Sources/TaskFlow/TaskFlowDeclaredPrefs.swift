import KVStoreMacros

/// The preferences once more, declared: names, keys, accessors and handles are the macro's work.
@KVSettings(prefix: "taskflow.")
package final class TaskFlowDeclaredPrefs: TaskFlowPrefsProtocol {
    package private(set) var onboardingCompleted = false
    package private(set) var displayName: String?
    package private(set) var theme = AppTheme.system
    package private(set) var notificationsEnabled = true
    package private(set) var fontSize = 16.0

    package func completeOnboarding() throws { try $onboardingCompleted.set(true) }
    package func setDisplayName(_ name: String?) throws { try $displayName.set(name) }
    package func setTheme(_ theme: AppTheme) throws { try $theme.set(theme) }
    package func setNotificationsEnabled(_ on: Bool) throws { try $notificationsEnabled.set(on) }
    package func setFontSize(_ size: Double) throws { try $fontSize.set(size) }
    package func resetAll() throws { try store.removeAll() }
    package func themeStream() -> AsyncStream<AppTheme?> { store.stream(TaskFlowPrefsKeys.theme) }
    package func fontSizeStream() -> AsyncStream<Double?> {
        store.stream(TaskFlowPrefsKeys.fontSize)
    }
}
