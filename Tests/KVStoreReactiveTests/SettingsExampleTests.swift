import KVStoreReactive
import KVStoreUserDefaults
import Observation
import Testing

struct Appearance: Codable, Sendable {
    enum Theme: String, Codable, Sendable { case light, dark }

    var theme: Theme?
}

/// A class as apps have it, whose store is `UserDefaults` unless a test says otherwise.
@MainActor final class Settings: KVSettings {
    let store: ReactiveKVStore
    init(store: any KVStoring = UserDefaultsKVStore(suiteName: "group.x")) {
        self.store = ReactiveKVStore(store)
    }
    @KVStored("appearance") var appearance = Appearance()
    @KVStored("launchCount") var launchCount = 0
    @KVStored("nickname") var nickname: String?
}

@Suite("A settings class on the main actor")
@MainActor
struct SettingsExampleTests {
    private let store = InMemoryKVStore()

    @Test(.timeLimit(.minutes(10)))
    func isWrittenAndFollowedAsItReads() async throws {
        let settings = Settings(store: store)
        settings.appearance.theme = .dark
        #expect(store.storedValues() == ["appearance": ["theme": "dark"]])
        var names = settings.$nickname.stream().makeAsyncIterator()
        _ = await names.next()
        try store.set(KVKey<String>("nickname"), value: "Ada")
        #expect(await names.next() == "Ada")
        settings.launchCount += 1
        try settings.$launchCount.update { $0 += 1 }
        #expect(settings.launchCount == 2)
        try settings.$nickname.remove()
        for await name in settings.$nickname.stream() {
            #expect(name == nil)
            break
        }
    }

    @Test func hearsOfWritesOfOtherThreads() async throws {
        let settings = Settings(store: store)
        let changes = Counter()
        withObservationTracking {
            _ = settings.launchCount
        } onChange: {
            changes.add(1)
        }
        let store = store
        try await Task.detached { try store.set(KVKey<Int>("launchCount"), value: 3) }.value
        #expect(changes.add(0) == 1)
        #expect(settings.launchCount == 3)
    }
}
