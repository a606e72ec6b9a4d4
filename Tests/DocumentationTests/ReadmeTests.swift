import KVStoreReactive
import Testing

@Suite("README.md")
struct ReadmeTests {
    @Test func itsCodeStandsInASourceThatCompiles() throws {
        let code = try CodeBlocks(
            of: "../../README.md",
            // The last one is compiled over stand-ins of Apple's modules.
            in: [
                "ReadmeTour.swift", "GettingStartedTour.swift", "../AppleStubs/ReadmeView.swift",
                "../KVStoreMacrosTests/MovingTour.swift",
            ]
        )
        #expect(code.blocks.count >= 8)
        #expect(code.strays.isEmpty)
    }

    @Test func itsCodeDoesWhatItSays() async throws {
        let store = InMemoryKVStore()
        #expect(try readAndWrite(store) == nil)
        try changeTogether(store)
        assign(store)
        #expect(store.storedValues() == ["theme": "dark", "launches": 2])
        let preferences = Preferences(store: store)
        #expect(preferences.theme == .dark)
        try preferences.setTheme(.light)
        #expect(preferences.theme == .light)
    }
}
