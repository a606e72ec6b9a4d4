// Everyday code in plain Swift 6: existentials written bare, streams in tasks, no annotations.

import KVStoreReactive
import KVStoreUserDefaults

enum Theme: String, Codable { case light, dark }
struct Appearance: Codable, Sendable { var theme = Theme.light }

enum Keys {
    static let theme = KVKey<Theme>("theme")
    static let name = KVKey<String?>("name")
    static let launches = KVDefaultKey("launches", default: 0)
    static let appearance = KVDefaultKey("appearance", default: Appearance())
}

extension KVKeyProtocol where Self == KVKey<Int> {
    static var retries: Self { KVKey("retries") }
}

final class Preferences: Sendable {
    private let store: ReactiveKVStore
    init(store: KVStoring) { self.store = ReactiveKVStore(store) }

    var theme: Theme { store.get(Keys.theme) ?? .light }
    var name: String? { store.get(Keys.name) }
    func setTheme(_ theme: Theme) throws { try store.set(Keys.theme, value: theme) }
    func setName(_ name: String?) throws { try store.set(Keys.name, value: name) }
    func names() -> AsyncStream<String?> { store.stream(Keys.name) }
    func countLaunch() throws { try store.update(Keys.launches) { $0 += 1 } }
}

@MainActor
final class ViewModel {
    var attempts = 0
    func rename(_ store: ReactiveKVStore) async throws {
        try await store.update(Keys.name) { name in
            attempts += 1
            name = await suggestion()
        }
        try store.update(Keys.launches) { $0 += 1 }
    }
    func suggestion() async -> String { "Grace" }
}

let memory: KVStoring = InMemoryKVStore()
let preferences = Preferences(store: memory)
try preferences.setTheme(.dark)
try preferences.setName("Ada")
try preferences.countLaunch()
memory[Keys.appearance].theme = .dark
memory[Keys.launches] += 1
try memory.set(.retries, value: 2)

let reactive = ReactiveKVStore(memory)
let first = Task {
    for await name in preferences.names() { return name }
    return nil
}
let change = Task {
    for await change in reactive.changes(Keys.name) { return change.new }
    return nil
}
for await (theme, launches) in reactive.stream(Keys.theme, Keys.launches) {
    print("theme: \(theme?.rawValue ?? "none"), launches: \(launches)")
    break
}
print("name: \(await first.value ?? "none")")
try await ViewModel().rename(reactive)
try preferences.setName(nil)
_ = change
let result = try memory.transaction { t in
    try t.set(Keys.theme, value: .light)
    try t.remove(.retries)
    return t.get(Keys.launches)
}
print("launches: \(result), keys: \(try memory.keys().sorted())")
_ = UserDefaultsKVStore(suiteName: "com.example.client")
