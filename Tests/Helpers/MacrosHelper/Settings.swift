import KVStoreMacros

enum Theme: String, Codable { case light, dark }

struct Appearance: Codable, Equatable {
    var theme = Theme.light
    var accents = ["blue"]
}

/// A type that is not `Codable`.
struct Speed: RawRepresentable, Equatable, Sendable {
    static let normal = Speed(rawValue: 1)
    let rawValue: Int
}

@KVSettings(prefix: "app.")
struct Settings {
    static let mostTries = 3
    let owner = "test"

    var appearance = Appearance()
    var launchCount = 0
    var nickname: String?
    var limit: Int? = 10
    var theme = Theme.light
    var tries: Int = Self.mostTries
    var hours: [String: [Int]] = [:]
    @KVEntry("oldName") var renamed = true
    @KVEntry<Speed>(bridge: .rawValue) var speed = Speed.normal
    private var secret = "s"

    var isNew: Bool { launchCount == 0 }

    func keepSecret() { secret = "kept" }
}

@KVSettings
final class SharedSettings: Sendable {
    var appearance = Appearance()
    var launchCount = 0
    @KVEntry var nickname: String?
}

@KVSettings
struct Box<Item: Codable & Sendable> {
    var item: Item?
    var items: [Item] = []
}

extension KVStoring {
    @KVEntry var visits = 123
    @KVEntry(prefixedWith: "entry.") var visitor: String?
    @KVEntry<Speed>("pace", bridge: .rawValue) var speed: Speed?
}

let sideStore = InMemoryKVStore()

struct Service {
    static let key = "customized"

    @KVEntry(Self.key, store: sideStore) var text = "Some default"
    @KVEntry(store: sideStore) static var starts = 0
}
