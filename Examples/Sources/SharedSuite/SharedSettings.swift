import KVStoreReactive
import KVStoreUserDefaults

/// What an app and its extension share: the keys, and the suite they are in.
public enum SharedSettings {
    /// How both look.
    public enum Theme: String, Codable, Sendable { case system, light, dark }

    /// Set by the app, and by a tap on the extension.
    public static let theme = KVDefaultKey("theme", default: Theme.system)
    /// How often the extension was tapped.
    public static let taps = KVDefaultKey("widget.taps", default: 0)

    /// Opens the suite; on Apple platforms this is the name of the app group.
    public static func store() -> ReactiveKVStore {
        ReactiveKVStore(UserDefaultsKVStore(suiteName: "group.com.example.suite"))
    }
}
