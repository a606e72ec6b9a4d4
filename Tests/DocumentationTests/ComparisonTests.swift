import Foundation
import KVStoreReactive
import KVStoreUserDefaults
import Testing

@Suite("Coming from other libraries")
struct ComparisonTests {
    @Test func itsCodeStandsInASourceThatCompiles() throws {
        let code = try CodeBlocks(
            of: "../../Sources/KVStoreReactive/KVStoreReactive.docc/ComingFromOtherLibraries.md",
            in: ["ComparisonTour.swift", "../AppleStubs/ArticleViews.swift"]
        )
        #expect(code.blocks.count >= 12)
        #expect(code.strays.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func fromSwiftyUserDefaults() async throws {
        let store = InMemoryKVStore()
        #expect(try FromSwiftyUserDefaults.use(store) == "Andy")
        let defaults = KVKeyCollection(FromSwiftyUserDefaults.ReaderKeys(), in: store)
        #expect(defaults.username == "joe")
        #expect(defaults.launchCount == 2)
        #expect(defaults.title == "The library of it")
        #expect(defaults.libraries == ["KVStore 2.0"])
        #expect(store.storedValue(for: "extra") == ["seen": [1, 2], "done": true])
        #expect(store.storedValue(for: "frog") == .data(Data(#"{"name":"Andy"}"#.utf8)))

        // What that library wrote: one piece of data for the whole array.
        let frogs = [FromSwiftyUserDefaults.Frog(name: "Andy")]
        try store.setStoredValue(.data(JSONEncoder().encode(frogs)), for: "froggies")
        #expect(defaults.froggies == frogs)
        defaults.palette = [FromSwiftyUserDefaults.Color(hex: "#fff")]
        #expect(store.storedValue(for: "palette") == ["#fff"])
        #expect(defaults.palette == [FromSwiftyUserDefaults.Color(hex: "#fff")])

        var changes = defaults.handle(\.username).changes().makeAsyncIterator()
        try store.set(KVKey<String>("username"), value: "Ada")
        let change = await changes.next()
        #expect(change?.old == "joe")
        #expect(change?.new == "Ada")
    }

    @Test func anArrayInOneArchive() throws {
        let store = InMemoryKVStore()
        let key = KVKey<[URL]>("urls", bridge: FromSwiftyUserDefaults.urls)
        let site = try #require(URL(string: "https://example.com/b"))
        let urls = [URL(filePath: "/not/a"), site]
        // What that library wrote, which asks for no secure coding.
        let objects = NSArray(array: urls.map { $0 as NSURL })
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: objects,
            requiringSecureCoding: false
        )
        try store.setStoredValue(.data(archive), for: "urls")
        #expect(try store.value(for: key) == urls)
        try store.set(key, value: [site])
        #expect(try store.value(for: key) == [site])
    }

    @Test func archivedElements() throws {
        let store = InMemoryKVStore()
        let key = KVKey<[NSUUID]>("ids", bridge: .array(of: .archived))
        let ids = [NSUUID(), NSUUID()]
        try store.set(key, value: ids)
        #expect(try store.value(for: key) == ids)
        guard case .array(let elements) = store.storedValue(for: "ids") else {
            Issue.record("no array")
            return
        }
        #expect(elements.count == 2)
    }

    @Test(.timeLimit(.minutes(1))) func fromDefaults() async throws {
        let store = InMemoryKVStore()
        // What that library wrote.
        try store.setStoredValue(#"{"lens":85}"#, for: "camera")
        #expect(store.get(FromDefaults.Keys.camera) == FromDefaults.Camera(lens: 85))
        try store.setStoredValue([#""round""#, #""square""#], for: "shapes")
        #expect(try store.value(for: FromDefaults.Keys.shapes) == [.round, .square])
        try store.set(FromDefaults.Keys.shapes, value: [.square])
        #expect(store.storedValue(for: "shapes") == [#""square""#])
        try store.setStoredValue(#""https:\/\/example.com""#, for: "site")
        #expect(store.get(FromDefaults.Keys.site)?.absoluteString == "https://example.com")
        let reactive = ReactiveKVStore(store)
        var values = reactive.stream(FromDefaults.Keys.quality, FromDefaults.Keys.camera)
            .makeAsyncIterator()
        #expect(await values.next()?.0 == 0.8)
        store[FromDefaults.Keys.camera].lens = 24
        #expect(store.storedValue(for: "camera") == #"{"lens":24}"#)
        #expect(await values.next()?.1 == FromDefaults.Camera(lens: 24))
        try FromDefaults.use(store)
        #expect(store.storedValues() == [:])
    }

    @MainActor
    @Test func fromAppStorage() throws {
        let store = InMemoryKVStore()
        // What that wrapper wrote.
        for (name, value): (String, PropertyListValue) in [
            ("username", "Ada"), ("layout", 1), ("home", "/not/a/"),
        ] {
            try store.setStoredValue(value, for: name)
        }
        let settings = FromAppStorage.Settings(store: store)
        #expect(settings.username == "Ada")
        #expect(settings.layout == .grid)
        #expect(settings.home?.path == "/not/a")
        settings.home = URL(filePath: "/not/b")
        settings.layout = .list
        settings.history.append(Date(timeIntervalSinceReferenceDate: 1))
        #expect(store.storedValue(for: "home") == "/not/b")
        #expect(store.storedValue(for: "layout") == 0)
        #expect(settings.history.count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func fromSharing() async throws {
        let store = InMemoryKVStore()
        let game = FromSharing.Game(store: store)
        var players = game.$player.stream(bufferingPolicy: .bufferingNewest(1))
            .makeAsyncIterator()
        #expect(await players.next() == FromSharing.Player())
        try FromSharing.win(game)
        #expect(await players.next()?.score == 10)
        // Two references to one value are two objects over one store.
        #expect(FromSharing.Game(store: store).player.score == 10)

        let folder = FileManager.default.temporaryDirectory
            .appending(path: "kvstore-comparison-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let opened = try FromSharing.open(folder: folder)
        try FromSharing.win(opened[1])
        #expect(opened[1].player.score == 10)
        #expect(opened[2].player.score == 0)
    }

    @MainActor
    @Test(.timeLimit(.minutes(1))) func fromUserDefaultsKit() async throws {
        let store = InMemoryKVStore()
        // What that library wrote.
        try store.setStoredValue(["theme": "dark"], for: "appearance")
        let settings = FromUserDefaultsKit.Settings(store: store)
        #expect(settings.appearance.theme == .dark)
        settings.appearance.accentColor = "red"
        #expect(store.storedValue(for: "appearance") == ["theme": "dark", "accentColor": "red"])
        FromUserDefaultsKit.use(store)
        #expect(store.storedValue(for: "username") == "anonymous")
        var launches = settings.$launchCount.stream().makeAsyncIterator()
        #expect(await launches.next() == 0)
        settings.launchCount += 1
        #expect(await launches.next() == 1)
    }
}
