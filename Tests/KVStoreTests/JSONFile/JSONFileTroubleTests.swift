import Foundation
import KVStore
import Synchronization
import TestSupport
import Testing

@Suite("JSONFile trouble", .onOwnThreads)
struct JSONFileTroubleTests {
    private let folder: TemporaryFolder
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file()
    }

    private static let badTexts: [(text: String, line: Int, column: Int)] = [
        ("", 1, 1),
        ("\0\0\0\0", 1, 1),
        ("{\n  \"a\": 1,\n}", 3, 1),
        ("{\n  \"a\": 1,\n  \"a\": 2\n}", 3, 3),
        ("[1]", 1, 1),
        ("{\"a\": 1} x", 1, 10),
        ("{\"a\": 1", 1, 8),
    ]

    @Test(arguments: badTexts)
    func aCorruptFileThrowsWithItsPlaceAndIsLeftAsItIs(
        _ bad: (text: String, line: Int, column: Int)
    ) throws {
        try folder.write(bad.text)
        let error = try #require(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        #expect(error.code == .corrupt)
        #expect(error.file == url.path)
        #expect(error.line == bad.line)
        #expect(error.column == bad.column)
        #expect(try folder.text() == bad.text)
        #expect(try folder.names() == ["settings.json"])
    }

    @Test func invalidUTF8IsCorrupt() throws {
        try Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]).write(to: url)
        let error = try #require(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        #expect(error.code == .corrupt)
    }

    @Test func aByteOrderMarkIsReadAndDroppedByTheNextCommit() throws {
        try folder.write("\u{FEFF}{\"a\": 1}")
        let store = try JSONFileKVStore(url: url)
        #expect(try store.storedValues() == ["a": 1])
        try store.setStoredValue(2, for: "a")
        try store.flush()
        #expect(try folder.text() == "{\n  \"a\": 2\n}\n")
    }

    @Test func quarantineMovesACorruptFileAsideAndSaysSo() throws {
        try folder.write("{broken")
        let errors = Errors()
        let store = try KVStoreError.withHandler(errors.append) {
            try JSONFileKVStore(url: url, whenCorrupt: .quarantine)
        }
        #expect(try store.storedValues().isEmpty)
        let aside = try folder.names().filter { $0.hasPrefix("settings.json.corrupt-") }
        #expect(aside.count == 1)
        #expect(try aside.map(folder.text(of:)) == ["{broken"])
        #expect(errors.all.map(\.code) == [.corrupt])
        try store.setStoredValue(1, for: "a")
        #expect(try JSONFileKVStore(url: url).storedValues() == ["a": 1])
    }

    @Test func quarantineLeavesAGoodFileAlone() throws {
        try folder.write("{\"a\": 1}")
        let store = try JSONFileKVStore(url: url, whenCorrupt: .quarantine)
        #expect(try store.storedValues() == ["a": 1])
        #expect(try folder.names() == ["settings.json"])
    }

    @Test func aFolderAtThePathIsUnreadable() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let error = try #require(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        #expect(error.code == .unreadable)
        #expect(error.reason.contains("folder"))
    }

    @Test func aPipeAtThePathIsUnreadableAndNobodyWaits() throws {
        let result = unsafe mkfifo(url.path, 0o600)
        try #require(result == 0)
        let error = try #require(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        #expect(error.code == .unreadable)
    }

    @Test func linksInACircleAreUnreadable() throws {
        try FileManager.default.createSymbolicLink(
            atPath: url.path,
            withDestinationPath: "settings.json"
        )
        let error = try #require(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        #expect(error.code == .unreadable)
    }

    @Test func aDeviceIsUnreadable() throws {
        let error = try #require(throws: KVStoreError.self) {
            try JSONFileKVStore(url: URL(filePath: "/dev/null"))
        }
        #expect(error.code == .unreadable)
    }

    @Test func aURLThatIsNoFileIsUnreadable() throws {
        let url = try #require(URL(string: "https://example.com/settings.json"))
        let error = try #require(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        #expect(error.code == .unreadable)
    }

    @Test func aFolderThatCannotBeMadeIsUnwritable() throws {
        try folder.write("not a folder", to: "file")
        let error = try #require(throws: KVStoreError.self) {
            try JSONFileKVStore(url: folder.url.appending(path: "file/settings.json"))
                .setStoredValue(1, for: "a")
        }
        #expect([.unwritable, .unreadable].contains(error.code))
        #expect(try folder.names() == ["file"])
    }

    @Test func aGoodEditIsTakenInByAFlushAndByTheNextCommit() async throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "a")
        let subscription = try #require(store.feed)
            .subscribe(to: ["a", "b"], initial: false, bufferingPolicy: .unbounded)
        try folder.write("{\"a\": 10, \"b\": 2}")
        try store.flush()
        #expect(try store.storedValue(for: "a") == 10)
        #expect(await subscription.next()?.values == [10, 2])
        try Data("{\"a\": 10, \"b\": 3}".utf8).write(to: url, options: .atomic)
        try store.setStoredValue(11, for: "a")
        #expect(await subscription.next()?.values == [10, 3])
        #expect(await subscription.next()?.values == [11, 3])
        try store.flush()
        #expect(try folder.text() == "{\n  \"a\": 11,\n  \"b\": 3\n}\n")
    }

    @Test func aBadEditLeavesTheLastGoodValuesIsReportedOnceAndNeverOverwritten() throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "a")
        try store.flush()
        try folder.write("{\"a\": 2,")
        let errors = Errors()
        try KVStoreError.withHandler(errors.append) {
            for number in 3..<8 {
                try store.setStoredValue(.integer(Int64(number)), for: "b")
                let error = #expect(throws: KVStoreError.self) { try store.flush() }
                #expect(error?.code == .corrupt)
                #expect(error?.line == 1)
                #expect(store.get(KVKey<Int>("a")) == 1)
                #expect(store.get(KVKey<Int>("b")) == number)
            }
        }
        #expect(errors.all.map(\.code) == [.corrupt])
        #expect(try folder.text() == "{\"a\": 2,")
        // The repaired edit says nothing of what was committed meanwhile.
        try folder.write("{\"a\": 2}")
        try store.flush()
        #expect(try store.storedValues() == ["a": 2, "b": 7])
        #expect(try folder.text() == "{\n  \"a\": 2,\n  \"b\": 7\n}\n")
    }

    @Test func quarantineMovesABadEditOfAnOpenStoreAsideWhenItIsToBeWritten() throws {
        let store = try JSONFileKVStore(url: url, whenCorrupt: .quarantine)
        try store.setStoredValue(1, for: "a")
        try store.flush()
        try folder.write("{\"a\": 2,")
        let errors = Errors()
        try KVStoreError.withHandler(errors.append) {
            try store.setStoredValue(3, for: "b")
            #expect(try folder.text() == "{\"a\": 2,")
            try store.flush()
        }
        let aside = try folder.names().filter { $0.hasPrefix("settings.json.corrupt-") }
        #expect(try aside.map(folder.text(of:)) == ["{\"a\": 2,"])
        #expect(try folder.text() == "{\n  \"a\": 1,\n  \"b\": 3\n}\n")
        #expect(try JSONFileKVStore(url: url).storedValues() == ["a": 1, "b": 3])
    }

    @Test func quarantineAtOpeningGivesExactlyTheLastState() throws {
        let path = try PosixFileSystem().resolve(url.path)
        do {
            let domain = JSONFileDomain(JSONFileEngine(path: path, on: PosixFileSystem()))
            try domain.file.load(quarantining: false)
            try domain.set(["a": 1, "b": 1])
            try domain.flush()
            try domain.set(["a": 2])
            try folder.write("oops")
        }
        #expect(throws: KVStoreError.self) { try JSONFileKVStore(url: url) }
        let errors = Errors()
        try KVStoreError.withHandler(errors.append) {
            let store = try JSONFileKVStore(url: url, whenCorrupt: .quarantine)
            #expect(try store.storedValues() == ["a": 2, "b": 1])
        }
        #expect(errors.all.contains { $0.reason.contains("moved to") })
        // Others find the state too, and the file comes back with the next publication.
        let other = try JSONFileKVStore(url: url)
        #expect(try other.storedValues() == ["a": 2, "b": 1])
        try other.flush()
        #expect(try folder.text() == "{\n  \"a\": 2,\n  \"b\": 1\n}\n")
    }

    @Test func aDeletedFileIsAnEmptyStoreOnceItStaysAway() async throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "a")
        try store.flush()
        let subscription = try #require(store.feed)
            .subscribe(to: ["a"], initial: false, bufferingPolicy: .unbounded)
        try FileManager.default.removeItem(at: url)
        try store.flush()
        #expect(try store.storedValues().isEmpty)
        #expect(await subscription.next()?.values == [nil])
    }

    @Test func aRemovedFolderIsMadeAgainByTheNextCommit() throws {
        let inner = folder.url.appending(path: "inner")
        let store = try JSONFileKVStore(url: inner.appending(path: "settings.json"))
        try store.setStoredValue(1, for: "a")
        try FileManager.default.removeItem(at: inner)
        try store.setStoredValue(2, for: "b")
        #expect(try store.storedValues() == ["b": 2])
        try store.flush()
        #expect(try folder.text(of: "inner/settings.json") == "{\n  \"b\": 2\n}\n")
        #expect(try folder.mode(of: "inner") == 0o700)
    }

    @Test func leftoversOfDeadWritersAreRemovedAndOtherFilesAreNot() throws {
        let leftover = ".settings.json.0123456789abcdef.tmp"
        let others: Set<String> = [
            ".settings.json.0123456789abcdeg.tmp", ".other.json.0123456789abcdef.tmp",
            "settings.json.0123456789abcdef.tmp", ".settings.json.tmp",
        ]
        for name in others.union([leftover]) { try folder.write("x", to: name) }
        try JSONFileKVStore(url: url).setStoredValue(1, for: "a")
        let files = ["settings.json", "settings.json.journal", "settings.json.lock"]
        #expect(try folder.names() == others.union(files))
    }

    @Test func aLockFileThatIsDeletedIsMadeAgain() throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "a")
        try FileManager.default.removeItem(at: folder.file("settings.json.lock"))
        try store.setStoredValue(2, for: "a")
        try store.flush()
        let files: Set = ["settings.json", "settings.json.journal", "settings.json.lock"]
        #expect(try folder.names() == files)
    }

    @Test func aVolumeThatOtherMachinesMayShareIsWrittenOnlyWhereThatIsAllowed() throws {
        try folder.write("{\"a\": 1}")
        let system = FaultyFileSystem(isRemote: true)
        let path = try system.resolve(url.path)
        let first = JSONFileDomain(JSONFileEngine(path: path, on: system))
        try first.file.load(quarantining: false)
        let error = #expect(throws: KVStoreError.self) { try first.set(["a": 2]) }
        #expect(error?.code == .unsupportedFileSystem)
        #expect(try first.storedValues() == ["a": 1])
        let second = JSONFileDomain(JSONFileEngine(path: path, on: system))
        try second.file.load(quarantining: false)
        // Without shared memory, each read looks at the files.
        for domain in [first, second] { domain.file.lock.allowRemoteVolume() }
        for number: Int64 in 2..<10 {
            try (number % 2 == 0 ? first : second).set(["a": .integer(number)])
            #expect(try first.storedValue(for: "a") == .integer(number))
            #expect(try second.storedValue(for: "a") == .integer(number))
        }
        try folder.write("{\"a\": 20}")
        #expect(try first.storedValue(for: "a") == 20)
    }

    @Test func anErrorIsReportedWhereItsHandlerMayWriteToTheStore() throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(1, for: "a")
        try store.flush()
        try folder.write("{\"a\": 2,")
        let results = Mutex<[Bool]>([])
        try KVStoreError.withHandler({ _ in
            let isStored = (try? store.setStoredValue(true, for: "reported")) != nil
            results.withLock { $0.append(isStored) }
        }) {
            try store.setStoredValue(2, for: "b")
        }
        #expect(results.withLock { $0 } == [true])
        #expect(try store.storedValues() == ["a": 1, "b": 2, "reported": true])
    }

    @Test func anEditThatADeadWriterDisplacedIsKeptAndItsOwnFilesAreNot() throws {
        let path = try PosixFileSystem().resolve(url.path)
        let system = FaultyFileSystem(staysDead: true)
        let dead = JSONFileDomain(JSONFileEngine(path: path, on: system))
        try dead.file.load(quarantining: false)
        try dead.set(["a": 1])
        try dead.flush()
        try dead.set(["a": 2])
        // It dies when it has exchanged the images, of which it removes the old one then.
        system.die(after: "exchange")
        #expect(throws: (any Error).self) { try dead.flush() }
        let isLeftover = { (name: String) in name.hasSuffix(".tmp") }
        let leftovers = try folder.names().filter(isLeftover)
        #expect(leftovers.count == 2)
        let displaced = try #require(try leftovers.first { try folder.text(of: $0).hasPrefix("{") })
        #expect(try folder.text(of: displaced) == "{\n  \"a\": 1\n}\n")
        withExtendedLifetime(dead) {}
        // As if an editor had saved just before.
        try folder.write("{\"a\": 5}", to: displaced)
        system.releaseLocks()
        let errors = Errors()
        try KVStoreError.withHandler(errors.append) {
            try JSONFileKVStore(url: url).setStoredValue(3, for: "b")
        }
        let names = try folder.names()
        #expect(!names.contains(where: isLeftover))
        let kept = names.filter { $0.hasPrefix("settings.json.edited-") }
        #expect(try kept.map(folder.text(of:)) == ["{\"a\": 5}"])
        #expect(errors.all.contains { $0.reason.contains("displaced") })
        #expect(try JSONFileKVStore(url: url).storedValues() == ["a": 2, "b": 3])
    }
}
