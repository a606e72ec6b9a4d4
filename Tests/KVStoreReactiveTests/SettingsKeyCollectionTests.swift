import KVStoreReactive
import Observation
import Testing

private struct AppKeys {
    let launchCount = KVDefaultKey("launchCount", default: 0)
    let nickname = KVKey<String?>("nickname")
    let limit = KVDefaultKey<Int?>("limit", default: 10)
    let look = KVDefaultKey("look", default: Look())
    let libraries = KVDefaultKey("libraries", default: ["a"])
    let plain = KVKey<Int>("plain")
    // Named like what a collection keeps for itself.
    let store = KVKey<Int>("store")
    let keys = KVKey<Int>("keys")
    let prefix = KVKey<Int>("prefix")
    let handle = KVKey<Int>("handle")
}

@Suite("KVKeyCollection")
struct SettingsKeyCollectionTests {
    private let store = InMemoryKVStore()

    @Test func readsAndWritesByMemberAndByPath() {
        let settings = KVKeyCollection(AppKeys(), in: store)
        #expect(settings.launchCount == 0)
        #expect(settings.nickname == nil)
        #expect(settings.look == Look())
        #expect(store.storedValues().isEmpty)
        settings.launchCount += 1
        settings[\.launchCount] += 1
        settings.nickname = "Ada"
        settings[\.nickname]?.append("!")
        settings.look.theme = .dark
        settings.libraries[0] += " 2.0"
        settings.libraries.append("b")
        settings.plain = 4
        #expect(
            store.storedValues() == [
                "launchCount": 2,
                "nickname": "Ada!",
                "look": ["theme": "dark", "accents": ["blue"]],
                "libraries": ["a 2.0", "b"],
                "plain": 4,
            ]
        )
        let name: String? = settings.nickname
        #expect(name == "Ada!")
        #expect(settings[\.launchCount] == 2)
        settings.nickname = nil
        settings.plain = nil
        #expect(!store.contains(KVKey<String>("nickname")))
        #expect(!store.contains(KVKey<Int>("plain")))
    }

    @Test func holdsAnExplicitNil() throws {
        let settings = KVKeyCollection(AppKeys(), in: store)
        #expect(settings.limit == 10)
        settings.limit = nil
        #expect(settings.limit == nil)
        #expect(store.storedValues() == ["limit": "$null"])
        try settings.handle(\.limit).remove()
        #expect(settings.limit == 10)
    }

    @Test func aPrefixIsPartOfEveryName() throws {
        let settings = KVKeyCollection(AppKeys(), in: store, prefix: "app.")
        settings.launchCount = 3
        settings.nickname = "Ada"
        #expect(store.storedValues() == ["app.launchCount": 3, "app.nickname": "Ada"])
        try store.set(KVKey<Int>("launchCount"), value: 9)
        #expect(settings.launchCount == 3)
        try settings.handle(\.nickname).remove()
        #expect(!store.contains(KVKey<String>("app.nickname")))
    }

    @Test func aKeyMayBeNamedLikeWhatTheCollectionKeeps() {
        let settings = KVKeyCollection(AppKeys(), in: store)
        settings.store = 1
        settings.keys = 2
        settings.prefix = 3
        settings[\.handle] = 4
        #expect(store.storedValues() == ["store": 1, "keys": 2, "prefix": 3, "handle": 4])
    }

    @Test(arguments: StoreKind.allCases)
    func worksOverAnyStore(kind: StoreKind) throws {
        let store = kind.make()
        let settings = KVKeyCollection(AppKeys(), in: store)
        settings.launchCount += 2
        #expect(try store.storedValues() == ["launchCount": 2])
        #expect(settings.launchCount == 2)
    }

    @Test(.timeLimit(.minutes(10)))
    func aHandleDoesTheRest() async throws {
        let settings = KVKeyCollection(AppKeys(), in: store, prefix: "app.")
        var names = settings.handle(\.nickname).stream().makeAsyncIterator()
        #expect(await names.next() == .some(nil))
        try settings.handle(\.launchCount).update { $0 += 1 }
        #expect(settings.handle(\.launchCount).contains())
        try store.set(KVKey<String>("app.nickname"), value: "Ada")
        #expect(await names.next() == "Ada")
    }

    @Test func aChangeInPlaceNeverReplacesWhatCannotBeRead() throws {
        let settings = KVKeyCollection(AppKeys(), in: store)
        try store.setStoredValue("many", for: "launchCount")
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) {
            settings.launchCount += 1
            settings[\.launchCount] += 1
        }
        #expect(errors.add(0) == 2)
        #expect(store.storedValues() == ["launchCount": "many"])
    }

    @Test func aFailedWriteKeepsTheValueAndReports() {
        let settings = KVKeyCollection(AppKeys(), in: RefusingStore(store))
        let errors = Counter()
        KVStoreError.withHandler({ _ in errors.add(1) }) {
            settings.launchCount = 1
            settings.nickname = "Ada"
        }
        #expect(errors.add(0) == 2)
        #expect(settings.launchCount == 0)
    }

    @Test func severalThreadsMayShareIt() async {
        let settings = KVKeyCollection(AppKeys(), in: store)
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { settings.nickname = "\(number)" }
            }
        }
        #expect(settings.nickname != nil)
    }
}
