// The code of the articles about UserDefaults, compiled. `UserDefaultsArticlesTests` checks that each
// block stands here. What would open a suite is not run: the test process has the user's own.

import Foundation
import KVStoreReactive
import KVStoreUserDefaults

enum SuiteTour {
    enum Theme: String, Codable, Sendable { case system, light, dark }

    enum SharedSettings {
        static let theme = KVDefaultKey("theme", default: Theme.system)

        static func store() -> ReactiveKVStore {
            ReactiveKVStore(UserDefaultsKVStore(suiteName: "group.com.example.suite"))
        }
    }

    static func darken() throws {
        try SharedSettings.store().set(SharedSettings.theme, value: .dark)
    }

    static func follow(show: (Theme) -> Void) async {
        for await theme in SharedSettings.store().stream(SharedSettings.theme) {
            show(theme)
        }
    }
}

enum MovingTour {
    struct Profile: Codable, Sendable, Equatable {
        var name: String
    }

    struct Version: LosslessStringConvertible, Sendable, Equatable {
        let number: Int
        init(number: Int) { self.number = number }
        init?(_ text: String) {
            guard let number = Int(text.dropFirst()) else { return nil }
            self.init(number: number)
        }
        var description: String { "v\(number)" }
    }

    /// The keys of the table.
    static let launches = KVKey<Int>("launches")
    static let home = KVKey<URL>("home", bridge: .url)
    static let theme = KVKey<SuiteTour.Theme>("theme")
    static let rawTheme = KVKey<SuiteTour.Theme>("theme", bridge: .rawValue)
    // A color is of AppKit, an identifier is everywhere.
    static let color = KVKey<NSUUID>("color", bridge: .archived)
    static let profile = KVKey<Profile>("profile", bridge: .jsonData)
    static let profileInText = KVKey<Profile>("profile", bridge: .jsonText)
    static let version = KVKey<Version>("version", bridge: .lossless)
    static let colors = KVKey<[NSUUID]>("colors", bridge: .array(of: .archived))

    static func makeMovingBridge() -> KVBridge<[Int]> {
        let moving = KVBridge<[Int]>(
            encode: { try PropertyListValue(encoding: $0) },
            decode: KVBridge<[Int]>.jsonText.decode
        )
        return moving
    }
}
