package import KVStoreMacros
import KVStoreUserDefaults

// The code of the article on moving to macros and of the README's part on them, and its use.

@KVSettings
struct UserSettings {
    var username = "Guest"
    var isFirstLaunch = true
    var loginCount = 0
}

func open() -> UserSettings {
    let settings = UserSettings(store: UserDefaultsKVStore())
    return settings
}

let test = InMemoryKVStore()

package struct Profile: Codable, Sendable {
    var name: String
}

@KVSettings(store: test, access: .package)
package struct LaunchSettings {
    @KVEntry("isInitialLaunch") package var isFirstTimeLaunching = true
    @KVEntry<Profile>(bridge: .jsonData) package var profile: Profile?
}

struct SomeEntity {
    static let key = "customized_key"
    @KVEntry(Self.key, store: test) var randomGeneratedString = "Some default value"
}

extension KVStoring {
    @KVEntry(prefixedWith: "key_") var exampleWithDefault = "defaultValue"
    @KVEntry(prefixedWith: "key_") var exampleWithoutDefault: String?
    @KVEntry(prefixedWith: "customPrefix_") var exampleIntWithoutDefault: Int?
}

/// Counts two logins, and removes everything.
func countAndClear(_ settings: UserSettings) throws {
    settings.$loginCount.value += 1
    try settings.$loginCount.update { $0 += 1 }
    for key in UserSettings.Keys.all { try settings.store.remove(key) }
}

@KVSettings(prefix: "app.") struct AppSettings {
    var launchCount = 0
    var nickname: String?
}

extension KVStoring {
    @KVEntry var visits = 123
}

func visit(_ store: any KVStoring) {
    AppSettings(store: store).launchCount += 2
    store.visits += 1
}
