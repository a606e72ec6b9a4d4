import KVStoreReactive
import Testing

@Suite("Articles")
struct ArticleTests {
    private let catalog = "../../Sources/KVStoreReactive/KVStoreReactive.docc"

    @Test(arguments: ["GettingStarted", "WhichSpelling"])
    func theirCodeStandsInASourceThatCompiles(name: String) throws {
        let code = try CodeBlocks(
            of: "\(catalog)/\(name).md",
            in: ["\(name)Tour.swift", "ArticleTests.swift", "../AppleStubs/ArticleViews.swift"]
        )
        #expect(code.blocks.count >= 6)
        #expect(code.strays.isEmpty)
    }

    @Test(arguments: [
        ("KVStore/KVStore.docc/WhatIsStored", "StoredTour.swift"),
        ("KVStore/KVStore.docc/Transactions", "StoredTour.swift"),
        ("KVStoreTesting/KVStoreTesting.docc/TestingPreferences", "TestingTour.swift"),
    ])
    func codeThatIsRunStandsInItsTour(page: String, tour: String) throws {
        let code = try CodeBlocks(of: "../../Sources/\(page).md", in: [tour])
        #expect(code.blocks.count >= 4)
        #expect(code.strays == [])
    }

    @Test func writingABackendStandsInTheExample() throws {
        let code = try CodeBlocks(
            of: "../../Sources/KVStore/KVStore.docc/WritingABackend.md",
            in: [
                "../../Examples/Sources/CustomBackend/LineFileBackend.swift",
                "../../Examples/Tests/CustomBackendTests/LineFileBackendTests.swift",
            ]
        )
        #expect(code.blocks.count == 2)
        #expect(code.strays == [])
    }

    @Test func movingToMacrosStandsInASourceThatCompiles() throws {
        let code = try CodeBlocks(
            of: "../../Sources/KVStoreMacros/KVStoreMacros.docc/MovingToMacros.md",
            in: ["../KVStoreMacrosTests/MovingTour.swift"]
        )
        #expect(code.blocks.count >= 4)
        #expect(code.strays.isEmpty)
    }

    @MainActor
    @Test(.timeLimit(.minutes(10))) func gettingStartedDoesWhatItSays() async throws {
        let store = InMemoryKVStore()
        let settings = Settings(store: store)
        settings.appearance.theme = .dark
        #expect(store.storedValues() == ["appearance": ["theme": "dark"]])

        var names = settings.$nickname.stream().makeAsyncIterator()
        _ = await names.next()
        try store.set(KVKey<String>("nickname"), value: "Ada")
        #expect(await names.next() == "Ada")

        try use(settings)
        #expect(store.storedValues() == ["appearance": ["theme": "dark"], "launchCount": 2])
    }

    @Test func whichSpellingDoesWhatItSays() throws {
        let store = InMemoryKVStore()
        let reactive = ReactiveKVStore(store)
        try finish(store)
        #expect(store.get(ServiceKeys.workers) == 3)
        resize(reactive)
        try count(ServiceSettings(store: store))
        #expect(store.get(ServiceKeys.workers) == 5)
        try mail(store)
        #expect(store.storedValue(for: "mail.retries") == 4)
        #expect(store.storedValue(for: "mail.signature") == "Ada")
        #expect(observe(reactive).value == 17)
        let settings = OptionalSettings(store: store)
        settings.nickname = "Ada"
        settings.nickname = nil
        settings.limit = nil
        #expect(store.storedValue(for: "nickname") == nil)
        #expect(settings.limit == nil)
    }
}
