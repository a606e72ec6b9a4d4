// The code of README.md that is not that of `GettingStartedTour`, compiled. `ReadmeTests` checks
// that each block stands in one of them.

import Foundation
import KVStoreReactive

enum Theme: String, Codable, Sendable {
    case light
    case dark
}

enum Keys {
    static let theme = KVKey<Theme>("theme")
    static let nickname = KVKey<String?>("nickname")
    static let launches = KVDefaultKey("launches", default: 0)
}

func serve(settingsURL: URL, print: (Theme) -> Void) async throws {
    let file = try JSONFileKVStore(url: settingsURL)
    try file.update(Keys.launches) { $0 += 1 }
    try file.transaction { t in
        try t.set(Keys.theme, value: .dark)
        try t.remove(Keys.nickname)
    }
    for await theme in ReactiveKVStore(file).stream(Keys.theme) {
        print(theme ?? .light)
    }
}
