// The code of README.md, compiled. `ReadmeTests` checks that each block stands here.

import Foundation
import KVStoreReactive
import KVStoreUserDefaults

enum Theme: String, Codable, Sendable {
    case light
    case dark
}

enum Keys {
    static let theme = KVKey<Theme>("theme")
    static let nickname = KVKey<String?>("nickname")
    static let launches = KVDefaultKey("launches", default: 0)
}

final class Preferences: Sendable {
    private let store: any KVStoring

    init(store: any KVStoring) {
        self.store = store
    }

    var theme: Theme { store.get(Keys.theme) ?? .light }

    func setTheme(_ theme: Theme) throws {
        try store.set(Keys.theme, value: theme)
    }
}

func inject(settingsURL: URL) throws -> [Preferences] {
    let preferences = Preferences(store: UserDefaultsKVStore(suiteName: "group.com.example.app"))
    let service = Preferences(store: try JSONFileKVStore(url: settingsURL))
    let test = Preferences(store: InMemoryKVStore())
    return [preferences, service, test]
}

func readAndWrite(_ store: any KVStoring) throws -> Theme? {
    try store.set(Keys.nickname, value: "Ada")
    try store.set(Keys.nickname, value: nil)
    try store.remove(Keys.theme)
    let theme = try store.value(for: Keys.theme)
    return theme
}

func changeTogether(_ store: any KVStoring) throws {
    try store.update(Keys.launches) { $0 += 1 }
    try store.transaction { t in
        try t.set(Keys.theme, value: .dark)
        try t.remove(Keys.nickname)
    }
}

func assign(_ store: any KVStoring) {
    store[Keys.theme] = .dark
    store[Keys.launches] += 1
}

func follow(_ store: any KVStoring) async {
    let reactive = ReactiveKVStore(store)
    for await theme in reactive.stream(Keys.theme) {
        print(theme ?? .light)
    }
}

func followMore(_ reactive: ReactiveKVStore) async throws {
    for await (theme, launches) in reactive.stream(Keys.theme, Keys.launches) {
        print(theme ?? .light, launches)
    }
    for await change in reactive.changes(Keys.nickname) {
        print(change.old ?? "nobody", "is now", change.new ?? "nobody")
    }
    try await reactive.update(Keys.nickname) { nickname in
        nickname = try await suggestNickname()
    }
}

func layerAndMigrate(_ store: any KVStoring) throws -> [any KVStoring] {
    let layered = LayeredKVStore(InMemoryKVStore(arguments: CommandLine.arguments), store)
    let cache = store.scoped(to: "cache.")
    try KVMigration([
        KVMigration.Step(1) { t in try t.rename(Keys.nickname, previousName: "userName") }
    ]).run(on: store)
    return [layered, cache]
}

private func suggestNickname() async throws -> String { "Grace" }
