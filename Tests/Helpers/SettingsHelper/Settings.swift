import Foundation
import KVStoreReactive

struct Appearance: Codable, Equatable, Sendable {
    enum Theme: String, Codable, Sendable { case light, dark }

    var theme = Theme.light
    var accents = ["blue"]
}

/// What is run over each kind of store.
@MainActor final class Settings: KVSettings {
    let store: ReactiveKVStore

    init(store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    @KVStored("appearance") var appearance = Appearance()
    @KVStored("launchCount") var launchCount = 0
    @KVStored("nickname") var nickname: String?
    @KVStored("limit") var limit: Int? = 10
    @KVStored("lastRun") var lastRun: Date?
}
