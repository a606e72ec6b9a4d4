import KVStoreReactive

/// TaskFlow's preferences, as the rest of the app sees them.
public protocol TaskFlowPrefsProtocol: Sendable {
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
public final class TaskFlowPrefs: TaskFlowPrefsProtocol {
    private let store: ReactiveKVStore

    public init(store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    public var onboardingCompleted: Bool {
        store.get(TaskFlowPrefsKeys.onboardingCompleted) ?? false
    }

    public var displayName: String? {
        store.get(TaskFlowPrefsKeys.displayName)
    }

    public var theme: AppTheme {
        store.get(TaskFlowPrefsKeys.theme) ?? .system
    }

    public var notificationsEnabled: Bool {
        store.get(TaskFlowPrefsKeys.notificationsEnabled) ?? true
    }

    public var fontSize: Double {
        store.get(TaskFlowPrefsKeys.fontSize) ?? 16
    }

    public func completeOnboarding() throws {
        try store.set(TaskFlowPrefsKeys.onboardingCompleted, value: true)
    }

    public func setDisplayName(_ name: String?) throws {
        try store.set(TaskFlowPrefsKeys.displayName, value: name)
    }

    public func setTheme(_ theme: AppTheme) throws {
        try store.set(TaskFlowPrefsKeys.theme, value: theme)
    }

    public func setNotificationsEnabled(_ enabled: Bool) throws {
        try store.set(TaskFlowPrefsKeys.notificationsEnabled, value: enabled)
    }

    public func setFontSize(_ size: Double) throws {
        try store.set(TaskFlowPrefsKeys.fontSize, value: size)
    }

    public func resetAll() throws {
        try store.removeAll()
    }

    public func themeStream() -> AsyncStream<AppTheme?> {
        store.stream(TaskFlowPrefsKeys.theme)
    }

    public func fontSizeStream() -> AsyncStream<Double?> {
        store.stream(TaskFlowPrefsKeys.fontSize)
    }
}
