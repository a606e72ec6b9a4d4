import KVStoreReactive
import Observation
import Testing

struct Look: Codable, Equatable, Sendable {
    enum Theme: String, Codable, Sendable { case light, dark }

    var theme = Theme.light
    var accents = ["blue"]
}

enum SettingsKeys {
    static let retries = KVDefaultKey("retries", default: 3)
    static let title = KVKey<String?>("title")
    static let limit = KVDefaultKey<Int?>("limit", default: 10)
}

/// A class of settings with a property of each kind, without isolation.
class PlainSettings: KVSettings {
    let store: ReactiveKVStore

    init(_ store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    @KVStored("appearance") var appearance = Look()
    @KVStored("launchCount") var launchCount = 0
    @KVStored("nickname") var nickname: String?
    @KVStored("size") var size: Int? = 7
    @KVStored(SettingsKeys.retries) var retries
    @KVStored(SettingsKeys.title) var title
    @KVStored(SettingsKeys.limit) var limit
}

/// A class of settings that several threads share.
private final class SharedSettings: KVSettings, @unchecked Sendable {
    let store: ReactiveKVStore

    init(_ store: any KVStoring) {
        self.store = ReactiveKVStore(store)
    }

    @KVStored("launchCount") var launchCount = 0
}

@Suite("KVSettings")
struct SettingsTests {
    private let store = InMemoryKVStore()
    private let launchCount = KVKey<Int>("launchCount")

    @Test func readsDefaultsAndNilAndWritesNeither() {
        let settings = PlainSettings(store)
        #expect(settings.appearance == Look())
        #expect(settings.launchCount == 0)
        #expect(settings.nickname == nil)
        #expect(settings.size == 7)
        #expect(settings.retries == 3)
        #expect(settings.title == nil)
        #expect(settings.limit == 10)
        #expect(store.storedValues().isEmpty)
    }

    @Test func writesWhatIsAssignedAndChangedInPlace() {
        let settings = PlainSettings(store)
        settings.appearance.theme = .dark
        settings.appearance.accents.append("red")
        settings.launchCount = 4
        settings.launchCount += 1
        settings.nickname = "Ada"
        settings.nickname?.append("!")
        settings.retries -= 1
        settings.title = "Dr."
        settings.limit? *= 2
        #expect(
            store.storedValues() == [
                "appearance": ["theme": "dark", "accents": ["blue", "red"]],
                "launchCount": 5,
                "nickname": "Ada!",
                "retries": 2,
                "title": "Dr.",
                "limit": 20,
            ]
        )
        #expect(settings.appearance.accents == ["blue", "red"])
        #expect(settings.launchCount == 5)
        #expect(settings.nickname == "Ada!")
        #expect(settings.limit == 20)
    }

    @Test func nilRemovesUnlessItHasToBeToldFromADefault() throws {
        let settings = PlainSettings(store)
        settings.nickname = "Ada"
        settings.title = "Dr."
        settings.nickname = nil
        settings.title = nil
        #expect(store.storedValues().isEmpty)
        settings.limit = nil
        settings.size = nil
        #expect(store.storedValues() == ["limit": "$null", "size": "$null"])
        #expect(settings.limit == nil)
        #expect(settings.size == nil)
        try settings.$limit.remove()
        try settings.$size.remove()
        #expect(settings.limit == 10)
        #expect(settings.size == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func followsWhoeverWrites(kind: StoreKind) throws {
        let settings = PlainSettings(kind.make())
        #expect(settings.launchCount == 0)
        try settings.store.set(launchCount, value: 7)
        #expect(settings.launchCount == 7)
        try settings.store.transaction { t in t[SettingsKeys.retries] += 5 }
        #expect(settings.retries == 8)
        try settings.store.removeAll()
        #expect(settings.launchCount == 0)
        #expect(settings.retries == 3)
    }

    @Test func tellsObserversOncePerChangeAndOfNoOtherProperty() throws {
        let settings = PlainSettings(store)
        let changes = Counter()
        func track() {
            withObservationTracking {
                _ = settings.launchCount
            } onChange: {
                changes.add(1)
            }
        }
        track()
        settings.retries = 9
        settings.launchCount = 0  // It was absent, so this is a change.
        #expect(changes.add(0) == 1)
        track()
        settings.launchCount = 0
        try store.set(KVKey<Int>("other"), value: 1)
        #expect(changes.add(0) == 1)
        try store.set(launchCount, value: 1)
        try store.set(launchCount, value: 2)
        #expect(changes.add(0) == 2)
        track()
        settings.launchCount += 1
        #expect(changes.add(0) == 3)
        track()
        try settings.$launchCount.remove()
        #expect(changes.add(0) == 4)
    }

    @Test(.timeLimit(.minutes(10)))
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func observationsSequencesFollowIt() async throws {
        let settings = SharedSettings(store)
        let values = Observations { settings.launchCount }
        var seen: [Int] = []
        for await value in values {
            seen.append(value)
            if value == 3 { break }
            try store.set(launchCount, value: value + 1)
        }
        #expect(seen == [0, 1, 2, 3])
    }

    @Test func concurrentFirstReadsAllTrack() async throws {
        for _ in 0..<200 {
            let store = InMemoryKVStore()
            let settings = SharedSettings(store)
            let changes = Counter()
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        withObservationTracking {
                            _ = settings.launchCount
                        } onChange: {
                            changes.add(1)
                        }
                    }
                }
            }
            try store.set(launchCount, value: 1)
            #expect(changes.add(0) == 4)
        }
    }

    @Test func aChangeInPlaceNeverReplacesWhatCannotBeRead() throws {
        let settings = PlainSettings(store)
        let newer: PropertyListValue = ["theme": "automatic"]
        try store.setStoredValue(newer, for: "appearance")
        try store.setStoredValue("many", for: "launchCount")
        #expect(settings.appearance == Look())
        let errors = Counter()
        KVStoreError.withHandler({ error in
            if error is DecodingError { errors.add(1) }
        }) {
            settings.appearance.theme = .dark
            settings.launchCount += 1
        }
        #expect(errors.add(0) == 2)
        #expect(store.storedValues() == ["appearance": newer, "launchCount": "many"])
        settings.launchCount = 1
        #expect(settings.launchCount == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func whoeverReadsAgainAtEachChangeEndsOnTheLastValue() async throws {
        let settings = SharedSettings(store)
        let last = 500
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let (store, launchCount) = (store, launchCount)
        async let written: Void = onThread {
            for number in 1...last { try? store.set(launchCount, value: number) }
        }
        var seen = 0
        continuation.yield()
        for await _ in changes {
            let value = withObservationTracking {
                settings.launchCount
            } onChange: {
                continuation.yield()
            }
            #expect(value >= seen)
            seen = value
            if value == last { break }
        }
        await written
        #expect(seen == last)
    }

    @Test func followsNoKeyBeforeItIsRead() throws {
        let observed = ObservedStore(store)
        do {
            let settings = PlainSettings(observed)
            settings.launchCount = 1
            settings.launchCount += 1
            try settings.$launchCount.update { $0 += 1 }
            #expect(settings.$launchCount.contains())
            #expect(observed.observations == 0)
            #expect(settings.launchCount == 3)
            #expect(settings.$launchCount.value == 3)
            #expect(observed.observations == 1)
        }
        #expect(observed.observations == 0)
    }

    @Test func aControlNeverReplacesWhatCannotBeRead() throws {
        let settings = PlainSettings(store)
        try store.setStoredValue("many", for: "launchCount")
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) {
            ControlWrite.run {
                ControlWrite.run { settings[keyPath: \.launchCount] = 2 }
                settings[keyPath: \.launchCount] = 3
            }
        }
        #expect(errors.add(0) == 2)
        #expect(store.storedValues() == ["launchCount": "many"])
        settings[keyPath: \.launchCount] = 4
        ControlWrite.run { settings.launchCount = 5 }
        #expect(settings.launchCount == 5)
    }

    @Test func aFailedWriteKeepsTheValueAndReports() throws {
        try store.set(launchCount, value: 8)
        let settings = PlainSettings(RefusingStore(store))
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) {
            settings.launchCount = 9
            settings.launchCount += 1
            settings.nickname = "Ada"
            settings.$launchCount.value = 9
        }
        #expect(errors.add(0) == 4)
        #expect(settings.launchCount == 8)
        #expect(settings.nickname == nil)
        #expect(throws: KVStoreError.self) { try settings.$launchCount.set(9) }
    }

    @Test func theObjectIsReleasedAndItsObservationEnds() throws {
        weak var released: PlainSettings?
        weak var releasedStore: ReactiveKVStore?
        let changes = Counter()
        do {
            let settings = PlainSettings(store)
            released = settings
            releasedStore = settings.store
            withObservationTracking {
                _ = settings.launchCount
            } onChange: {
                changes.add(1)
            }
            #expect(settings.$nickname.value == nil)
        }
        #expect(released == nil)
        #expect(releasedStore == nil)
        try store.set(launchCount, value: 1)
        #expect(changes.add(0) == 0)
    }
}
