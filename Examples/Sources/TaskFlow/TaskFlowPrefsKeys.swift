import KVStoreReactive

/// What TaskFlow remembers, and under which names.
public enum TaskFlowPrefsKeys {
    public static let onboardingCompleted = KVKey<Bool>("taskflow.onboardingCompleted")
    public static let displayName = KVKey<String?>("taskflow.displayName")
    public static let theme = KVKey<AppTheme>("taskflow.theme")
    public static let notificationsEnabled = KVKey<Bool>("taskflow.notificationsEnabled")
    public static let fontSize = KVKey<Double>("taskflow.fontSize")
}

public enum AppTheme: String, Codable, Sendable {
    case light
    case dark
    case system
}
