import Foundation
import KVStoreReactive
import Testing

@Suite("README.md")
struct ReadmeTests {
    @Test func itsCodeStandsInASourceThatCompiles() throws {
        let code = try CodeBlocks(
            of: "../../README.md",
            in: ["ReadmeTour.swift", "GettingStartedTour.swift", "ArticleTests.swift"]
        )
        #expect(code.blocks.count == 4)
        #expect(code.strays == [])
    }

    @Test(.timeLimit(.minutes(10))) func itsServiceDoesWhatItSays() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Readme-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "settings.json")
        let (themes, seen) = AsyncStream<Theme>.makeStream()
        let service = Task { try await serve(settingsURL: url) { seen.yield($0) } }
        for await theme in themes {
            #expect(theme == .dark)
            break
        }
        service.cancel()
        try await service.value
        let store = try JSONFileKVStore(url: url)
        #expect(try store.storedValues() == ["launches": 1, "theme": "dark"])
    }
}
