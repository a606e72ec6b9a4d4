// The code of GettingStarted.md, compiled. `ArticleTests` checks that each block stands here.

import KVStoreReactive
import KVStoreUserDefaults

struct Appearance: Codable, Sendable {
    enum Theme: String, Codable, Sendable { case light, dark }

    var theme = Theme.light
    var accentColor: String?
}

@MainActor final class Settings: KVSettings {
    let store: ReactiveKVStore

    init(store: any KVStoring = UserDefaultsKVStore()) {
        self.store = ReactiveKVStore(store)
    }

    @KVStored("appearance") var appearance = Appearance()
    @KVStored("launchCount") var launchCount = 0
    @KVStored("nickname") var nickname: String?
}

@MainActor
func use(_ settings: Settings) throws {
    settings.appearance.theme = .dark
    settings.launchCount += 1
    settings.nickname = "Ada"
    settings.nickname = nil

    try settings.$launchCount.update { $0 += 1 }
    try settings.$nickname.set("Ada")
    if settings.$nickname.contains() {
        try settings.$nickname.remove()
    }
}

@MainActor
func follow(_ settings: Settings, greet: (String) -> Void) async {
    for await nickname in settings.$nickname.stream() {
        greet(nickname ?? "stranger")
    }
}
