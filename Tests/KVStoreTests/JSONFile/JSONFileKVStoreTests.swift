import Foundation
import KVStore
import Testing

@Suite("JSONFileKVStore")
struct JSONFileKVStoreTests {
    private let folder: TemporaryFolder
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file()
    }

    @Test func valuesReadBackThroughTheSameStoreAndAfterReopening() throws {
        let values: [String: PropertyListValue] = [
            "string": "né", "integer": 7, "negative": .integer(.min), "real": 1.0,
            "unsigned": .unsignedInteger(.max), "bool": true, "nan": .real(.nan),
            "minus zero": .real(-0.0), "data": .data(Data([0, 255])),
            "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)),
            "array": [1, "two", [3.5]], "dictionary": ["$date": "kept", "x": ["y": false]],
            "a.dotted/key@with everything": "plain",
        ]
        do {
            let store = try JSONFileKVStore(url: url)
            try store.transaction { t in
                for (name, value) in values { try t.setStoredValue(value, for: name) }
            }
            #expect(try store.storedValues() == values)
        }
        #expect(try JSONFileKVStore(url: url).storedValues() == values)
    }

    @Test func theFileIsSortedIndentedTextWithOneNewlineAtItsEnd() throws {
        let store = try JSONFileKVStore(url: url)
        try store.set(KVKey<[Int]>("numbers"), value: [1, 2])
        try store.set(KVKey<String>("name"), value: "Zoë \"Z\"")
        try store.set(KVKey<Double>("scale"), value: 1)
        try store.flush()
        let golden = """
            {
              "name": "Zoë \\"Z\\"",
              "numbers": [
                1,
                2
              ],
              "scale": 1.0
            }

            """
        #expect(try folder.text() == golden)
    }

    @Test func typedCallsWork() throws {
        let store: any KVStoring = try JSONFileKVStore(url: url)
        let count = KVDefaultKey("count", default: 5)
        let name = KVKey<String?>("name")
        #expect(store.get(count) == 5)
        #expect(!store.contains(count))
        try store.update(count) { $0 += 1 }
        store[count] += 1
        #expect(store.get(count) == 7)
        try store.set(name, value: "x")
        #expect(try store.keys().sorted() == ["count", "name"])
        try store.set(name, value: nil)
        #expect(try store.keys() == ["count"])
        try store.removeAll()
        #expect(try store.storedValues().isEmpty)
        try store.flush()
        #expect(try folder.text() == "{}\n")
    }

    @Test func readingCreatesNothing() throws {
        let deep = folder.url.appending(path: "a/b/settings.json")
        for url in [url, deep] {
            let store = try JSONFileKVStore(url: url)
            #expect(store.get(KVKey<Int>("x")) == nil)
            #expect(try store.storedValues().isEmpty)
            let subscription = try #require(store.feed)
                .subscribe(to: ["x"], initial: true, bufferingPolicy: .unbounded)
            subscription.cancel()
            try store.flush()
        }
        #expect(try folder.names().isEmpty)
    }

    @Test func theFirstCommitMakesFoldersThatOnlyTheOwnerCanEnter() throws {
        let store = try JSONFileKVStore(url: folder.url.appending(path: "a/b/settings.json"))
        try store.set(KVKey<Int>("x"), value: 1)
        try store.flush()
        #expect(try folder.mode(of: "a") == 0o700)
        #expect(try folder.mode(of: "a/b") == 0o700)
        for name in ["settings.json", "settings.json.journal", "settings.json.lock"] {
            #expect(try folder.mode(of: "a/b/\(name)") == 0o600)
        }
    }

    @Test(arguments: [0o600, 0o644, 0o640, 0o664])
    func aModeIsKept(_ mode: Int) throws {
        try folder.write("{}")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        let store = try JSONFileKVStore(url: url)
        try store.set(KVKey<Int>("x"), value: 1)
        try store.flush()
        #expect(try folder.text().contains("\"x\": 1"))
        for name in ["settings.json", "settings.json.journal", "settings.json.lock"] {
            #expect(try folder.mode(of: name) == mode, "\(name)")
        }
    }

    @Test func aNeighbourThatCannotBeDecodedSurvivesASave() throws {
        let text = """
            {
              "count": "not a number",
              "future": {
                "$novel": 1
              },
              "other": 1
            }

            """
        try folder.write(text)
        let store = try JSONFileKVStore(url: url)
        let count = KVDefaultKey("count", default: 3)
        #expect(store.get(count) == 3)
        #expect(throws: DecodingError.self) { try store.update(count) { $0 += 1 } }
        try store.set(KVKey<Int>("other"), value: 2)
        try store.flush()
        #expect(try folder.text() == text.replacing("1\n}", with: "2\n}"))
    }

    @Test func aBodyThatThrowsAndAnIllegalKeyStoreNothing() throws {
        struct Stop: Error {}
        let store = try JSONFileKVStore(url: url)
        #expect(throws: Stop.self) {
            try store.transaction { t in
                try t.setStoredValue(1, for: "x")
                throw Stop()
            }
        }
        #expect(throws: KVStoreError.self) { try store.setStoredValue(1, for: "") }
        #expect(try folder.names().isEmpty)
    }

    @Test func anEqualValueIsNoCommit() throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "x")
        let before = try folder.text(of: "settings.json.journal")
        try store.setStoredValue(1, for: "x")
        #expect(try folder.text(of: "settings.json.journal") == before)
    }

    @Test func storesOnOneFileShareTheirStateHoweverThePathIsSpelled() async throws {
        let link = folder.file("link.json")
        try FileManager.default.createSymbolicLink(
            atPath: link.path,
            withDestinationPath: "settings.json"
        )
        let first = try JSONFileKVStore(url: url)
        let second = try JSONFileKVStore(url: link)
        let third = try JSONFileKVStore(
            url: URL(filePath: folder.url.path + "/./x/../settings.json")
        )
        let subscription = try #require(first.feed)
            .subscribe(to: nil, initial: false, bufferingPolicy: .unbounded)
        try second.setStoredValue(1, for: "x")
        try third.setStoredValue(2, for: "x")
        for (sequence, value) in [(1, 1), (2, 2)] as [(UInt64, PropertyListValue)] {
            let commit = try #require(await subscription.next()?.commit)
            #expect(commit.sequence == sequence)
            #expect(commit.origin == .anotherStore)
            #expect(commit.change(of: "x")?.new == value)
        }
    }

    @Test(arguments: [true, false])
    func aLinkStaysAndItsTargetIsReplaced(_ targetExists: Bool) throws {
        let target = folder.file("real.json")
        if targetExists { try folder.write("{\"y\": 1}", to: "real.json") }
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "x")
        try store.flush()
        let destination = try FileManager.default.destinationOfSymbolicLink(atPath: url.path)
        #expect(destination == target.path)
        #expect(try folder.text(of: "real.json").contains("\"x\": 1"))
        let files: Set = ["real.json", "real.json.journal", "real.json.lock", "settings.json"]
        #expect(try folder.names() == files)
    }

    @Test func streamsEndWithTheLastStoreOnTheFile() async throws {
        var store: JSONFileKVStore? = try JSONFileKVStore(url: url)
        let subscription = try #require(store?.feed)
            .subscribe(to: nil, initial: false, bufferingPolicy: .unbounded)
        store = nil
        #expect(await subscription.next() == nil)
    }

    @Test func theFileIsWatchedOnlyWhileSomebodyObserves() throws {
        let domain = try JSONFileRegistry.domain(at: url.path)
        #expect(!domain.isWatching)
        let feed = DomainFeed(domain, handle: HandleID())
        let first = feed.subscribe(to: nil, initial: false, bufferingPolicy: .unbounded)
        let second = feed.subscribe(to: ["x"], initial: true, bufferingPolicy: .unbounded)
        first.cancel()
        first.cancel()
        #expect(domain.isWatching)
        second.cancel()
        #expect(!domain.isWatching)
    }

    @Test func aDomainGoesWithItsLastStore() throws {
        weak var domain: JSONFileDomain?
        do {
            let held = try JSONFileRegistry.domain(at: url.path)
            domain = held
            #expect(try JSONFileRegistry.domain(at: url.path) === held)
        }
        #expect(domain == nil)
    }
}
