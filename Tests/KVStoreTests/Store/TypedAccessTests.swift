import KVStore
import Synchronization
import Testing

private enum ColorTheme: String, Codable, Sendable {
    case light
    case dark
}

private struct Look: Codable, Equatable, Sendable {
    var theme = ColorTheme.light
    var accent: String?
}

extension KVKeyProtocol where Self == KVKey<Int> {
    fileprivate static var retries: Self { KVKey("retries") }
}

extension KVKeyProtocol where Self == KVDefaultKey<String> {
    fileprivate static var host: Self { KVDefaultKey("host", default: "localhost") }
}

@Suite("Typed access")
struct TypedAccessTests {
    private let store: any KVStoring = InMemoryKVStore()
    private let theme = KVKey<ColorTheme>("theme")
    private let nickname = KVKey<String?>("nickname")
    private let count = KVDefaultKey("count", default: 0)
    private let appearance = KVDefaultKey("appearance", default: Look())

    @Test func absentKeysReadAsNilOrTheDefault() throws {
        #expect(store.get(theme) == nil)
        #expect(store.get(nickname) == nil)
        #expect(store.get(count) == 0)
        #expect(try store.value(for: theme) == nil)
        #expect(try store.value(for: nickname) == nil)
        #expect(try store.value(for: count) == 0)
        #expect(!store.contains(count))
        #expect(try store.keys().isEmpty)
    }

    @Test func readsWhatWasSet() throws {
        try store.set(theme, value: .dark)
        try store.set(nickname, value: "Ada")
        try store.set(count, value: 3)
        #expect(store.get(theme) == .dark)
        let name: String? = store.get(nickname)
        #expect(name == "Ada")
        #expect(store.get(count) == 3)
        #expect(store.contains(nickname))
        #expect(Set(try store.keys()) == ["theme", "nickname", "count"])
    }

    @Test func settingTheDefaultStoresIt() throws {
        try store.set(count, value: 0)
        #expect(try store.storedValues() == ["count": 0])
    }

    @Test func nilRemovesAnOptionalKey() throws {
        try store.set(nickname, value: "Ada")
        try store.set(nickname, value: nil)
        #expect(!store.contains(nickname))
    }

    @Test func nilRemovesInGenericCodeToo() throws {
        func assign<Value>(_ value: Value, to key: KVKey<Value>) throws {
            try store.set(key, value: value)
        }
        try assign("Ada", to: nickname)
        #expect(store.contains(nickname))
        try assign(nil, to: nickname)
        #expect(!store.contains(nickname))
    }

    @Test func nilOfAnyDepthRemoves() throws {
        let key = KVKey<Int??>("deep")
        try store.set(key, value: 1)
        #expect(store.get(key) == 1)
        try store.set(key, value: .some(nil))
        #expect(!store.contains(key))
    }

    @Test func explicitNilBeatsADefaultThatIsNotNil() throws {
        let key = KVDefaultKey<Int?>("limit", default: 10)
        #expect(store.get(key) == 10)
        try store.set(key, value: nil)
        #expect(store.get(key) == nil)
        #expect(try store.storedValues() == ["limit": "$null"])
        try store.remove(key)
        #expect(store.get(key) == 10)
    }

    @Test func nilRemovesWhereTheDefaultIsNil() throws {
        let key = KVDefaultKey<Int?>("limit", default: nil)
        try store.set(key, value: 1)
        try store.set(key, value: nil)
        #expect(try store.storedValues().isEmpty)
        #expect(store.get(key) == nil)
    }

    @Test func aStoredNullReadsAsNilOrTheDefault() throws {
        try store.setStoredValue("$null", for: "nickname")
        try store.setStoredValue("$null", for: "count")
        #expect(store.get(nickname) == nil)
        #expect(try store.value(for: nickname) == nil)
        #expect(try store.value(for: KVKey<String>("nickname")) == nil)
        #expect(store.get(count) == 0)
        #expect(store.contains(nickname))
    }

    @Test func subscriptsReadWriteAndChangeInPlace() throws {
        store[theme] = .dark
        store[nickname] = "Ada"
        store[count] += 2
        store[appearance].accent = "red"
        store[nickname]? += " L."
        #expect(store[theme] == .dark)
        #expect(store[nickname] == "Ada L.")
        #expect(store[count] == 2)
        #expect(store[appearance] == Look(theme: .light, accent: "red"))
        store[theme] = nil
        store[nickname] = nil
        #expect(Set(try store.keys()) == ["count", "appearance"])
    }

    @Test func undecodableValuesAreToldFromAbsentOnes() throws {
        try store.setStoredValue("neon", for: "theme")
        #expect(store.get(theme) == nil)
        #expect(store.contains(theme))
        #expect(throws: DecodingError.self) { try store.value(for: theme) }
        #expect(throws: DecodingError.self) { try store.update(theme) { $0 = .dark } }
        #expect(try store.storedValue(for: "theme") == "neon")
    }

    @Test func changingAnUndecodableValueInPlaceReportsAndWritesNothing() throws {
        try store.setStoredValue(["theme": "neon"], for: "appearance")
        let errors = Mutex<[any Error]>([])
        KVStoreError.withHandler({ error in errors.withLock { $0.append(error) } }) {
            store[appearance].accent = "red"
        }
        #expect(try store.storedValue(for: "appearance") == ["theme": "neon"])
        #expect(errors.withLock { $0.count } == 1)
        #expect(errors.withLock { $0.first } is DecodingError)
        store[appearance] = Look(theme: .dark)
        #expect(store[appearance].theme == .dark)
    }

    @Test func failedAssignmentsKeepTheOldValueAndReport() throws {
        struct Refusing: Codable, Sendable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    self,
                    EncodingError.Context(codingPath: [], debugDescription: "refused")
                )
            }
        }
        let key = KVKey<Refusing>("refusing")
        try store.setStoredValue([:], for: "refusing")
        let count = Mutex(0)
        KVStoreError.withHandler({ _ in count.withLock { $0 += 1 } }) {
            store[key] = Refusing()
        }
        #expect(count.withLock { $0 } == 1)
        #expect(try store.storedValue(for: "refusing") == [:])
        #expect(throws: EncodingError.self) { try store.set(key, value: Refusing()) }
    }

    @Test func updateReadsAndWritesAsOne() throws {
        let result = try store.update(count) { value in
            value += 5
            return value
        }
        #expect(result == 5)
        try store.update(nickname) { $0 = "Ada" }
        try store.update(nickname) { $0?.append("!") }
        #expect(store.get(nickname) == "Ada!")
        try store.update(theme) { $0 = .dark }
        try store.update(theme) { $0 = nil }
        #expect(!store.contains(theme))
    }

    @Test func implicitMembersNameKeys() throws {
        try store.set(.retries, value: 4)
        #expect(store.get(.retries) == 4)
        #expect(store.get(.host) == "localhost")
        store[.host] += ".local"
        #expect(store[.host] == "localhost.local")
    }

    @Test func keysOfAllTypesCanBeListed() throws {
        let keys: [any KVKeyProtocol] = [theme, nickname, count]
        try store.set(theme, value: .dark)
        try store.set(count, value: 1)
        #expect(keys.filter { store.contains($0) }.map(\.name) == ["theme", "count"])
        for key in keys { try store.remove(key) }
        #expect(try store.keys().isEmpty)
    }

    @Test func helpersWorkOnStoresAndInTransactions() throws {
        func reset(_ target: some KVAccessing) throws {
            try target.remove(theme)
            target[count] = 7
        }
        try reset(InMemoryKVStore())
        try store.set(theme, value: .light)
        try store.transaction { t in try reset(t) }
        #expect(try store.storedValues() == ["count": 7])
    }
}
