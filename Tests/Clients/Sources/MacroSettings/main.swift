// Settings that macros declare, in plain Swift 6 and without a flag.

import KVStoreMacros

enum Theme: String, Codable { case light, dark }

@KVSettings(prefix: "app.")
struct Settings {
    var launchCount = 0
    var nickname: String?
    var theme = Theme.light
}

/// Settings that another module could see.
@KVSettings(store: InMemoryKVStore())
public final class PublicSettings: Sendable {
    /// How often the program was started.
    public var launchCount = 0
}

extension KVStoring {
    @KVEntry var visits = 123
}

let store: KVStoring = InMemoryKVStore()
Settings(store: store).launchCount += 2
let settings = Settings(store: store)
settings.theme = .dark
store.visits += 1
print(try store.keys().sorted(), settings.launchCount, settings.nickname ?? "nobody", store.visits)

let shared = PublicSettings()
await withTaskGroup { group in
    for _ in 0..<4 { group.addTask { try? shared.$launchCount.update { $0 += 1 } } }
}
print(shared.launchCount)
for await theme in settings.$theme.stream() {
    print(theme)
    break
}
