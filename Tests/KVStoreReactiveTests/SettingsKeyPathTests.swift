import KVStoreReactive
import Observation
import Testing

extension KVKeys {
    fileprivate var fontSize: KVDefaultKey<Double> { KVDefaultKey("fontSize", default: 16) }
    fileprivate var nickname: KVKey<String?> { KVKey("nickname") }
    fileprivate var theme: KVKey<String> { KVKey("theme") }
    fileprivate var limit: KVDefaultKey<Int?> { KVDefaultKey("limit", default: 1) }
}

private final class PathSettings: KVSettings {
    let store: ReactiveKVStore

    init(_ store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    @KVStored(\.fontSize) var fontSize
    @KVStored(\.nickname) var nickname
    @KVStored(\.theme) var theme: String?
    @KVStored(\.limit) var limit
}

@Suite("KVKeys")
struct SettingsKeyPathTests {
    private let store = ReactiveKVStore(InMemoryKVStore())

    /// Checks that a change of a key by the raw store is told once.
    private func isTold(
        of read: () -> some Equatable,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let changes = Counter()
        withObservationTracking {
            _ = read()
        } onChange: {
            changes.add(1)
        }
        try store.set(KVKeys().fontSize, value: 20)
        #expect(changes.add(0) == 1, sourceLocation: sourceLocation)
    }

    @Test func aPropertyOfASettingsClassTakesThePathOfAKey() throws {
        let settings = PathSettings(store)
        #expect(settings.fontSize == 16)
        #expect(settings.nickname == nil)
        settings.fontSize += 1
        settings.nickname = "Ada"
        settings.theme = "dark"
        settings.limit = nil
        #expect(
            try store.storedValues() == [
                "fontSize": 17.0, "nickname": "Ada", "theme": "dark", "limit": "$null",
            ]
        )
        #expect(settings.limit == nil)
        settings.nickname = nil
        settings.theme = nil
        #expect(try store.storedValues() == ["fontSize": 17.0, "limit": "$null"])
        try isTold { settings.fontSize }
    }

    @Test func storageTakesThePathOfAKey() throws {
        @KVStorage(\.fontSize, store: store) var fontSize
        @KVStorage(\.nickname, store: store) var nickname
        @KVStorage(\.theme, store: store) var theme
        #expect(fontSize == 16)
        fontSize += 1
        nickname = "Ada"
        nickname?.append("!")
        theme = "dark"
        #expect(
            try store.storedValues() == ["fontSize": 17.0, "nickname": "Ada!", "theme": "dark"]
        )
        try isTold { fontSize }
    }

    @Test func anObservedValueTakesThePathOfAKey() throws {
        let size = KVObservedValue(\.fontSize, in: store)
        let name: KVObservedValue<String?> = KVObservedValue(\.nickname, in: store)
        #expect(size.value == 16)
        size.value += 1
        name.value = "Ada"
        #expect(try store.storedValues() == ["fontSize": 17.0, "nickname": "Ada"])
        try isTold { size.value }
    }

    @Test func theyAreACollectionAsAnyOther() {
        let settings = KVKeyCollection(KVKeys(), in: store)
        settings.fontSize += 1
        #expect(settings.fontSize == 17)
        #expect(settings[\.nickname] == nil)
    }

    @Test func anExplicitNilIsReadThroughEverySurface() throws {
        @KVStorage(\.limit, store: store) var limit
        let cell = KVObservedValue(\.limit, in: store)
        let settings = PathSettings(store)
        #expect(limit == 1 && cell.value == 1 && settings.limit == 1)
        limit = nil
        #expect(limit == nil && cell.value == nil && settings.limit == nil)
        cell.value = 2
        settings.limit? += 1
        #expect(limit == 3 && cell.value == 3 && settings.limit == 3)
        try settings.$limit.set(nil)
        #expect(limit == nil && cell.value == nil && settings.$limit.value == nil)
        try settings.$limit.remove()
        #expect(limit == 1 && cell.value == 1 && settings.$limit.value == 1)
    }
}
