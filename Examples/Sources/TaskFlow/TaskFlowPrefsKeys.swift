import KVStoreReactive

/// What TaskFlow remembers, and under which names.
package enum TaskFlowPrefsKeys {
    package static let onboardingCompleted = KVKey<Bool>("taskflow.onboardingCompleted")
    package static let displayName = KVKey<String?>("taskflow.displayName")
    package static let theme = KVKey<AppTheme>("taskflow.theme")
    package static let notificationsEnabled = KVKey<Bool>("taskflow.notificationsEnabled")
    package static let fontSize = KVKey<Double>("taskflow.fontSize")
}

package enum AppTheme: String, Codable, Sendable {
    case light
    case dark
    case system
}
