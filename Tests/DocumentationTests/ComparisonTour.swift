// The code of ComingFromOtherLibraries.md, compiled. `ComparisonTests` checks that each block stands
// here. A type for each library keeps the names apart.

import Foundation
import KVStoreReactive
import KVStoreUserDefaults

enum FromSwiftyUserDefaults {
    struct Frog: Codable, Sendable, Equatable {
        var name: String
    }

    struct Color: Sendable, Equatable {
        var hex: String
    }

    static let tree = KVBridge<PropertyListValue>(encode: { $0 }, decode: { $0 })

    static let colors = KVBridge<Color>(
        encode: { .string($0.hex) },
        decode: { Color(hex: try $0.decode(String.self)) }
    )

    static let urls = KVBridge<[URL]>(
        encode: { urls in
            let objects = NSArray(array: urls.map { $0 as NSURL })
            return .data(
                try NSKeyedArchiver.archivedData(
                    withRootObject: objects,
                    requiringSecureCoding: true
                )
            )
        },
        decode: { stored in
            let objects = try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [NSArray.self, NSURL.self],
                from: stored.decode(Data.self)
            )
            guard let urls = objects as? [URL] else { throw CocoaError(.coderReadCorrupt) }
            return urls
        }
    )

    struct ReaderKeys {
        let username = KVKey<String?>("username")
        let launchCount = KVDefaultKey("launchCount", default: 0)
        let title = KVDefaultKey("title", default: "The library")
        let libraries = KVDefaultKey("libraries", default: [String]())
        let frog = KVKey<Frog>("frog", bridge: .jsonData)
        let froggies = KVKey<[Frog]>("froggies", bridge: .jsonData)
        let palette = KVKey<[Color]>("palette", bridge: .array(of: colors))
        let extra = KVKey<PropertyListValue>("extra", bridge: tree)
    }

    static func use(_ store: any KVStoring) throws -> String? {
        let defaults = KVKeyCollection(ReaderKeys(), in: store)
        defaults.username = "joe"
        defaults[\.launchCount] += 1
        defaults.title += " of it"
        defaults.libraries.append("KVStore")
        defaults.libraries[0] += " 2.0"
        defaults.frog = Frog(name: "Andy")
        defaults.extra = ["seen": [1, 2], "done": true]
        let name = defaults.frog?.name

        if defaults.handle(\.username).contains() {
            try defaults.handle(\.launchCount).update { $0 += 1 }
        }
        return name
    }

    static func follow(_ store: any KVStoring, log: (String) -> Void) async {
        let defaults = KVKeyCollection(ReaderKeys(), in: store)
        for await change in defaults.handle(\.username).changes() {
            log("\(change.old ?? "nobody") became \(change.new ?? "nobody")")
        }
    }

    static func open() -> any KVStoring {
        let store = LayeredKVStore(
            InMemoryKVStore(arguments: CommandLine.arguments),
            UserDefaultsKVStore(suiteName: "com.example.reader")
        )
        return store
    }
}

enum FromDefaults {
    struct Camera: Codable, Sendable, Equatable {
        var lens = 35
    }

    enum Shape: String, Codable, Sendable { case round, square }

    enum Keys {
        static let quality = KVDefaultKey("quality", default: 0.8)
        static let lastShot = KVKey<Date>("lastShot")
        static let camera = KVDefaultKey("camera", default: Camera(), bridge: .jsonText)
        static let shapes = KVKey<[Shape]>("shapes", bridge: .array(of: .jsonText))
        static let site = KVKey<URL>("site", bridge: .jsonText)
    }

    static func use(_ store: any KVStoring) throws {
        store[Keys.quality] = 0.5
        store[Keys.camera].lens = 50
        store[Keys.lastShot] = nil
        try store.remove(Keys.quality)  // the default is read again
        try store.removeAll()
    }

    static func follow(_ store: ReactiveKVStore, apply: (Double, Camera) -> Void) async {
        for await (quality, camera) in store.stream(Keys.quality, Keys.camera) {
            apply(quality, camera)
        }
    }
}

enum FromAppStorage {
    enum Layout: Int, Codable, Sendable { case list, grid }

    @MainActor final class Settings: KVSettings {
        let store: ReactiveKVStore

        init(store: any KVStoring = UserDefaultsKVStore()) {
            self.store = ReactiveKVStore(store)
        }

        @KVStored("username") var username = "Guest"
        @KVStored("layout") var layout = Layout.list
        @KVStored(KVKey<URL>("home", bridge: .url)) var home: URL?
        @KVStored("history") var history: [Date] = []
    }
}

enum FromSharing {
    struct Player: Codable, Sendable, Equatable {
        var name = ""
        var score = 0
    }

    final class Game: KVSettings, @unchecked Sendable {
        let store: ReactiveKVStore
        init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

        @KVStored("player") var player = Player()
        @KVStored("isOn") var isOn = false
    }

    static func win(_ game: Game) throws {
        try game.$player.update { $0.score += 10 }
    }

    static func open(folder: URL) throws -> [Game] {
        let app = Game(store: UserDefaultsKVStore())
        let file = Game(store: try JSONFileKVStore(url: folder.appending(path: "game.json")))
        let test = Game(store: InMemoryKVStore())
        return [app, file, test]
    }

    static func follow(_ game: Game, show: (Player) -> Void) async {
        for await player in game.$player.stream(bufferingPolicy: .bufferingNewest(1)) {
            show(player)
        }
    }
}

enum FromUserDefaultsKit {
    struct Appearance: Codable, Sendable, Equatable {
        enum Theme: String, Codable, Sendable { case system, light, dark }

        var theme = Theme.system
        var accentColor: String?
    }

    @MainActor final class Settings: KVSettings {
        let store: ReactiveKVStore

        init(store: any KVStoring = UserDefaultsKVStore()) {
            self.store = ReactiveKVStore(store)
        }

        @KVStored("appearance") var appearance = Appearance()
        @KVStored("launchCount") var launchCount = 0
        @KVStored(KVKey<URL>("home", bridge: .url)) var home: URL?
    }

    static func use(_ store: any KVStoring) {
        store[KVKey<String>("username")] = "anonymous"
        let name = store[KVKey<String>("username")]  // String?
        let launches = store[KVDefaultKey("launchCount", default: 0)]  // Int
        print(name ?? "nobody", launches)
    }

    @MainActor
    static func follow(_ settings: Settings, show: (Int) -> Void) async {
        for await launches in settings.$launchCount.stream() {
            show(launches)
        }
    }
}
