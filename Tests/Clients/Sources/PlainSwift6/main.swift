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

final class Settings: KVSettings, @unchecked Sendable {
    let store: ReactiveKVStore
    init(store: KVStoring) { self.store = ReactiveKVStore(store) }

    @KVStored("appearance") var appearance = Appearance()
    @KVStored(Keys.launches) var launches
    @KVStored("size") var size: Int? = 3
}

struct MailKeys: Sendable {
    let signature = KVKey<String?>("signature")
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

let settings = Settings(store: InMemoryKVStore())
settings.appearance.theme = .dark
await withTaskGroup { group in
    for _ in 0..<4 { group.addTask { try? settings.$launches.update { $0 += 1 } } }
}
settings.size = nil
let size: Int? = settings.$size.value
print(settings.appearance.theme, settings.launches, size ?? -1, settings.$size.contains())
let mail = KVKeyCollection(MailKeys(), in: settings.store, prefix: "mail.")
Task { mail.signature = "Ada" }
for await signature in mail.handle(\.signature).stream() where signature != nil {
    print(signature ?? "none", mail.signature ?? "none")
    break
}
