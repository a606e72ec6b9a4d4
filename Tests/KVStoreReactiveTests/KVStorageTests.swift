import KVStoreReactive
import Observation
import Testing

private struct Style: Codable, Equatable, Sendable {
    var isDark = false
    var accent = "blue"
}

private let shared = KVDefaultKey("shared", default: 5)
private let named = KVKey<String?>("named")

/// A struct with properties of each kind.
private struct StorageSettings: Sendable {
    @KVStorage var count: Int
    @KVStorage var nickname: String?
    @KVStorage var appearance: Style
    @KVStorage var shared: Int
    @KVStorage var named: String?

    init(_ store: ReactiveKVStore) {
        _count = KVStorage(wrappedValue: 1, "count", store: store)
        _nickname = KVStorage("nickname", store: store)
        _appearance = KVStorage(wrappedValue: Style(), "appearance", store: store)
        _shared = KVStorage(KVStoreReactiveTests.shared, store: store)
        _named = KVStorage(KVStoreReactiveTests.named, store: store)
    }
}

@Suite("KVStorage")
struct KVStorageTests {
    private let store = ReactiveKVStore(InMemoryKVStore())

    @Test func readsDefaultsAndNilAndWritesNeither() throws {
        let settings = StorageSettings(store)
        #expect(settings.count == 1)
        #expect(settings.nickname == nil)
        #expect(settings.appearance == Style())
        #expect(settings.shared == 5)
        #expect(settings.named == nil)
        #expect(try store.keys().isEmpty)
    }

    @Test func writesWhatIsAssigned() throws {
        let settings = StorageSettings(store)
        settings.count = 2
        settings.count += 1
        settings.nickname = "Ada"
        settings.appearance.isDark = true
        settings.shared = 6
        settings.named = "Grace"
        #expect(
            try store.storedValues() == [
                "count": 3,
                "nickname": "Ada",
                "appearance": ["isDark": true, "accent": "blue"],
                "shared": 6,
                "named": "Grace",
            ]
        )
        #expect(settings.count == 3)
        #expect(settings.nickname == "Ada")
        #expect(settings.appearance.isDark)
        settings.nickname = nil
        settings.named = nil
        #expect(!store.contains(KVKey<String>("nickname")))
        #expect(!store.contains(named))
        #expect(settings.nickname == nil)
    }

    @Test func worksInFunctions() {
        @KVStorage("local", store: store) var local = 0
        @KVStorage("optional", store: store) var optional: String?
        @KVStorage(shared, store: store) var other
        @KVStorage(KVKey<Int>("plain"), store: store) var plain
        local += 4
        other += 1
        plain = 3
        optional = "x"
        optional?.append("y")
        #expect(local == 4)
        #expect(other == 6)
        #expect(plain == 3)
        #expect(optional == "xy")
        #expect(store.get(KVKey<Int>("local")) == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func followsWhoeverWrites(kind: StoreKind) throws {
        let store = ReactiveKVStore(kind.make())
        let settings = StorageSettings(store)
        let copy = settings
        #expect(settings.shared == 5)
        try store.set(shared, value: 7)
        #expect(settings.shared == 7)
        try store.update(shared) { $0 += 1 }
        #expect(copy.shared == 8)
        copy.shared = 9
        #expect(settings.shared == 9)
        try store.removeAll()
        #expect(settings.shared == 5)
    }

    @Test func tellsObserversOfEachChange() throws {
        let settings = StorageSettings(store)
        let changes = Counter()
        func track() -> Int {
            withObservationTracking {
                settings.count
            } onChange: {
                changes.add(1)
            }
        }
        #expect(track() == 1)
        try store.set(shared, value: 1)
        #expect(changes.add(0) == 0)
        try store.set(KVKey<Int>("count"), value: 2)
        #expect(changes.add(0) == 1)
        #expect(track() == 2)
        settings.count = 3
        #expect(changes.add(0) == 2)
    }

    @Test func aFailedWriteKeepsTheValueAndReports() throws {
        let refusing = RefusingStore(store)
        try store.set(shared, value: 8)
        let settings = StorageSettings(ReactiveKVStore(refusing))
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) {
            settings.shared = 9
            settings.shared += 1
            settings.nickname = "Ada"
        }
        #expect(errors.add(0) == 3)
        #expect(settings.shared == 8)
        #expect(settings.nickname == nil)
    }

    @Test func anUnreadableValueReadsAsTheDefaultAndSurvivesChangesInPlace() throws {
        let settings = StorageSettings(store)
        let newer: PropertyListValue = ["isDark": "at night"]
        try store.setStoredValue(newer, for: "appearance")
        #expect(settings.appearance == Style())
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) { settings.appearance.isDark = true }
        #expect(try store.storedValue(for: "appearance") == newer)
        #expect(errors.add(0) == 1)
        settings.appearance = Style(isDark: true)
        #expect(settings.appearance.isDark)
    }

    @Test func theNamesOfKeysAreCheckedWhenWritten() {
        @KVStorage("", store: store) var nameless = 1
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) { nameless = 2 }
        #expect(nameless == 1)
        #expect(errors.add(0) == 1)
    }

    @Test func endsItsObservationWithItsLastCopy() throws {
        weak var released: ReactiveKVStore?
        do {
            let store = ReactiveKVStore(InMemoryKVStore())
            released = store
            let settings = StorageSettings(store)
            let copy = settings
            #expect(copy.shared == 5)
        }
        #expect(released == nil)
    }

    @Test func concurrentReadsAndWritesAgreeInTheEnd() async throws {
        let settings = StorageSettings(store)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<300 {
                        try store.update(shared) { $0 += 1 }
                        #expect(settings.shared > 5)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(settings.shared == 1205)
    }
}

@Suite("ControlLink")
struct ControlLinkTests {
    private let store = ReactiveKVStore(InMemoryKVStore())

    @Test func showsAndSets() throws {
        let link = ControlLink(shared, in: store)
        #expect(link.value == 5)
        link.setByControl(6)
        #expect(store.get(shared) == 6)
        try store.set(shared, value: 7)
        #expect(link.value == 7)
    }

    @Test func nilRemoves() {
        let link: ControlLink<String?> = ControlLink(named, in: store)
        link.setByControl("Ada")
        #expect(link.value == "Ada")
        link.setByControl(nil)
        #expect(!store.contains(named))
    }

    @Test func neverWritesOverWhatCannotBeRead() throws {
        let link = ControlLink(shared, in: store)
        try store.setStoredValue("many", for: shared.name)
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) { link.setByControl(6) }
        #expect(try store.storedValue(for: shared.name) == "many")
        #expect(errors.add(0) == 1)
        try store.remove(shared)
        link.setByControl(6)
        #expect(link.value == 6)
    }

    @Test func withoutAStoreReadsFindNothingAndWritesAreRefused() {
        let link = ControlLink(shared, in: ReactiveKVStore(MissingStore()))
        let reasons = Counter()
        KVStoreError.withHandler({ error in
            if "\(error)".contains(".environment(\\.kvStore, store)") { reasons.add(1) }
        }) {
            link.setByControl(6)
            link.store[shared] = 6
        }
        #expect(reasons.add(0) == 2)
        #expect(link.value == 5)
        #expect(throws: KVStoreError.self) { try link.store.value(for: shared) }
    }
}
