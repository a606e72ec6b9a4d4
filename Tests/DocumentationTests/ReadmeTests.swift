import Foundation
import KVStoreReactive
import Testing

@Suite("README.md")
struct ReadmeTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    /// The lines of a text without indentation, so that a block may stand deeper in the source.
    private static func lines(of text: Substring) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func itsCodeStandsInASourceThatCompiles() throws {
        let readme = try String(
            contentsOf: Self.here.appending(path: "../../README.md"),
            encoding: .utf8
        )
        // The second is compiled over stand-ins of Apple's modules.
        let tour = try ["ReadmeTour.swift", "../AppleStubs/ReadmeView.swift"].map { path in
            try String(contentsOf: Self.here.appending(path: path), encoding: .utf8)
        }
        let source = Self.lines(of: tour.joined(separator: "\n")[...]).joined(separator: "\n")
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count >= 8)
        for block in blocks {
            #expect(source.contains(Self.lines(of: block[...]).joined(separator: "\n")))
        }
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
