import Foundation
import KVStoreReactive
import Testing

@Suite("Articles on layers, migrations and failures")
struct LayersArticlesTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    /// The lines of a text without indentation and without the space before a comment at the end,
    /// which the formatter sets.
    private static func lines(of text: Substring) -> String {
        text.split(separator: "\n").map { line in
            line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }.joined(separator: "\n")
    }

    @Test(arguments: ["ServicesAndCommandLines", "Migrations", "WhenSomethingFails"])
    func theirCodeStandsInASourceThatCompiles(article: String) throws {
        let text = try String(
            contentsOf: Self.here
                .appending(path: "../../Sources/KVStore/KVStore.docc/\(article).md"),
            encoding: .utf8
        )
        let tour = try String(
            contentsOf: Self.here.appending(path: "LayersTour.swift"),
            encoding: .utf8
        )
        let source = Self.lines(of: tour[...])
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count >= 3)
        for block in blocks { #expect(source.contains(Self.lines(of: block[...]))) }
    }

    @Test func layersDoWhatTheArticleSays() throws {
        let file = InMemoryKVStore()
        let store = LayeredKVStore(InMemoryKVStore(arguments: ["-workers", "8"]), file)
        #expect(try describe(store) == "8 workers, as you asked")
        let plain = LayeredKVStore(InMemoryKVStore(arguments: []), file)
        #expect(try describe(plain) == "4 workers")
        try plain.set(MailerKeys.workers, value: 5)
        #expect(try describe(plain) == "5 workers, as the file says")
        try useScope(of: store)
        #expect(file.storedValues() == ["workers": 5])
    }

    @Test func migrationsDoWhatTheArticleSays() throws {
        let file = InMemoryKVStore()
        try file.setStoredValue("mx.example.com", for: "smtpHost")
        try file.setStoredValue(0, for: "lastRun")
        try file.setStoredValue(["size": 6], for: "pool")
        #expect(try migrate(file, by: mailerMigration()) == [1, 2, 3])
        #expect(file.get(MailerKeys.relay) == "mx.example.com")
        #expect(file.get(MailerKeys.lastRun) == Date(timeIntervalSince1970: 0))
        #expect(file.get(MailerKeys.workers) == 6)
        #expect(file.storedValues().count == 4)
    }

    @Test func failuresDoWhatTheArticleSays() throws {
        useFailingStores()
        let store = makeForgetfulStore()
        #expect(saveRelay("a", in: store) == nil)
        #expect(saveRelay("b", in: store) == "DiskFull()")
        #expect(throws: DecodingError.self) { try store.value(for: MailerKeys.relay) }
    }
}
