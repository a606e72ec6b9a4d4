// An app target as Xcode creates it: everything is on the main actor unless it says otherwise.

import KVStoreMacros
import KVStoreReactive
import KVStoreUserDefaults

enum Theme: String, Codable { case light, dark }
// A struct that is stored says `nonisolated`, because its conformances must work off the main actor.
nonisolated struct Appearance: Codable, Equatable, Sendable { var theme = Theme.light }

enum Keys {
    static let appearance = KVDefaultKey("appearance", default: Appearance())
    static let theme = KVKey<Theme>("theme")
    static let name = KVKey<String?>("name")
}

final class Model {
    let store: ReactiveKVStore
    var shown: [String] = []

    init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

    func follow() async {
        for await name in store.stream(Keys.name) {
            shown.append(name ?? "nobody")
            if name == "Grace" { return }
        }
    }

    func rename() async throws {
        try await store.update(Keys.name) { name in
            shown.append("renaming")
            name = await suggestion()
        }
    }

    func suggestion() async -> String { "Grace" }
}

final class Settings: KVSettings {
    let store: ReactiveKVStore

    init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

    @KVStored("appearance") var appearance = Appearance()
    @KVStored("launchCount") var launchCount = 0
    @KVStored(Keys.name) var name

    func greet() async -> String {
        for await name in $name.stream() { return "Hello, \(name ?? "nobody")" }
        return "?"
    }
}

let model = Model(store: InMemoryKVStore())
model.store[Keys.appearance].theme = .dark
try model.store.set(Keys.theme, value: .dark)
async let following: Void = model.follow()
try await model.rename()
await following
print(model.shown.contains("renaming") ? "renamed" : "not renamed", model.shown.last ?? "")
print(model.store[Keys.appearance].theme, try model.store.keys().sorted())
_ = UserDefaultsKVStore(suiteName: "com.example.client")

let settings = Settings(store: InMemoryKVStore())
settings.appearance.theme = .dark
settings.launchCount += 1
settings.name = "Alan"
try settings.$launchCount.update { $0 += 1 }
print(settings.appearance.theme, settings.launchCount, await settings.greet())
let keys = KVKeyCollection(KVKeys(), in: settings.store)
keys.fontSize += 1
print(keys[\.fontSize])

extension KVKeys {
    var fontSize: KVDefaultKey<Double> { KVDefaultKey("fontSize", default: 16) }
}

@KVSettings(prefix: "declared.")
final class DeclaredSettings {
    var appearance = Appearance()
    var launchCount = 0
}

let declared = DeclaredSettings(store: InMemoryKVStore())
declared.appearance.theme = .dark
try declared.$launchCount.update { $0 += 1 }
print(declared.appearance.theme, declared.store.get(DeclaredSettings.Keys.launchCount))
