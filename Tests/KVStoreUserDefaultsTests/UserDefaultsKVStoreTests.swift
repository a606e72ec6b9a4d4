import Foundation
import KVStore
import KVStoreUserDefaults
import TestSupport
import Testing

@Suite("UserDefaultsKVStore", .onOwnThreads)
struct UserDefaultsKVStoreTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test(arguments: ["suite", "standard"])
    func rawDefaultsAndTheStoreSeeEachOtherAtOnce(suite: String) throws {
        let suite = PropertyListValue.string(suite)
        let process = try sandbox.start()
        try process.send(["set", suite, "key", "ours"])
        #expect(try process.send(["rawGet", suite, "key"]) == ["String ours"])
        try process.send(["rawSet", suite, "key", "theirs"])
        #expect(try process.send(["get", suite, "key"]) == ["theirs"])
        try process.send(["set", suite, "key", "ours"])
        #expect(try process.send(["rawGet", suite, "key"]) == ["String ours"])
        try process.send(["rawRemove", suite, "key"])
        #expect(try process.send(["get", suite, "key"]) == [])
        #expect(try process.send(["all", suite]) == [[:]])
    }

    @Test
    func rawWritesThatWereNotSynchronizedSurviveACommit() throws {
        let process = try sandbox.start()
        try process.send(["rawSet", "suite", "theirs", 1])
        try process.send(["set", "suite", "ours", 2])
        #expect(try process.send(["get", "suite", "theirs"]) == [1])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["theirs": 1, "ours": 2]]])
    }

    @Test
    func writeIsOnDiskWhenItReturns() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "key", "value"])
        process.kill()
        #expect(try sandbox.run(["get", "suite", "key"]) == [["value"]])
    }

    @Test
    func removalIsOnDiskWhenItReturns() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "key", "value"])
        try process.send(["remove", "suite", "key"])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[[:]]])
    }

    @Test
    func readingCreatesNothing() throws {
        try sandbox.run(["get", "suite", "key"], ["all", "suite"], ["removeAll", "suite"])
        #expect(try sandbox.names() == [])
    }

    @Test
    func launchArgumentsDoNotCount() throws {
        let process = try sandbox.start(arguments: ["-key", "argument"])
        #expect(try process.send(["get", "suite", "key"]) == [])
        try process.send(["set", "suite", "key", 1])
        #expect(try process.send(["get", "suite", "key"]) == [1])
        #expect(try process.send(["get", "standard", "key"]) == [])
        #expect(try process.send(["rawGet", "suite", "key"]) == ["String argument"])
    }

    @Test
    func registeredDefaultIsReadAndRevealedByARemoval() throws {
        let process = try sandbox.start()
        try process.send(["register", "suite", "key", "registered"])
        #expect(try process.send(["get", "suite", "key"]) == ["registered"])
        #expect(try process.send(["all", "suite"]) == [[:]])
        try process.send(["watch", "suite", "key"])
        try process.send(["set", "suite", "key", "own"])
        try process.send(["remove", "suite", "key"])
        #expect(try process.send(["get", "suite", "key"]) == ["registered"])
        let changes = try (0..<2).map { _ in try change(of: "key", in: process.send(["next", 5])) }
        #expect(changes == [[["registered"], ["own"]], [["own"], ["registered"]]])
        try process.send(["set", "suite", "key", "own"])
        try process.send(["removeAll", "suite"])
        #expect(try process.send(["get", "suite", "key"]) == ["registered"])
    }

    @Test
    func transactionsReadWhatARemovalWillReveal() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>global</key><string>g</string></dict></plist>
            """
        try Data(text.utf8).write(to: sandbox.file(of: ".GlobalPreferences"))
        let process = try sandbox.start(arguments: ["-key", "argument"])
        try process.send(["register", "suite", "key", "registered"])
        for (key, revealed) in [("key", "registered"), ("global", "g")] {
            let key = PropertyListValue.string(key)
            try process.send(["set", "suite", key, "own"])
            let answer = PropertyListValue.array([.string(revealed)])
            #expect(try process.send(["readRemoved", "suite", key]) == answer)
            #expect(try process.send(["get", "suite", key]) == answer)
        }
        try process.send(["set", "suite", "plain", "own"])
        #expect(try process.send(["readRemoved", "suite", "plain"]) == [])
        #expect(try !sandbox.names().contains { $0.hasPrefix("KVStore") })
    }

    @Test
    func valueEqualToARegisteredOneIsStored() throws {
        let process = try sandbox.start()
        try process.send(["register", "suite", "key", "same"])
        try process.send(["set", "suite", "key", "same"])
        #expect(try process.send(["all", "suite"]) == [["key": "same"]])
        process.end()
        #expect(try sandbox.run(["get", "suite", "key"]) == [["same"]])
    }

    @Test
    func registeredObjectOfAnotherKindIsAnErrorAndNoTrap() throws {
        let process = try sandbox.start()
        try process.send(["registerObject", "suite", "key"])
        #expect(code(try process.send(["get", "suite", "key"])) == "invalidValue")
        #expect(try process.send(["all", "suite"]) == [[:]])
    }

    @Test
    func valuesOfAHostMaskReadsAndAreNotTheStoresOwn() throws {
        let folder = sandbox.folder.appendingPathComponent("ByHost")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>key</key><string>host</string></dict></plist>
            """
        // Two dots, because Foundation on Linux has no name for the host.
        let file = folder.appendingPathComponent("suite..plist")
        try Data(text.utf8).write(to: file)
        let process = try sandbox.start()
        #expect(try process.send(["all", "suite"]) == [[:]])
        try process.send(["set", "suite", "key", "own"])
        #expect(try process.send(["all", "suite"]) == [["key": "own"]])
        #expect(try process.send(["get", "suite", "key"]) == ["host"])
        #expect(try process.send(["rawGet", "suite", "key"]) == ["String host"])
        try process.send(["removeAll", "suite"])
        #expect(try process.send(["all", "suite"]) == [[:]])
        #expect(try Data(contentsOf: file) == Data(text.utf8))
    }

    @Test
    func globalValuesAreNotTheStoresOwn() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>global</key><string>g</string></dict></plist>
            """
        try Data(text.utf8).write(to: sandbox.file(of: ".GlobalPreferences"))
        let process = try sandbox.start()
        try process.send(["set", "suite", "own", 1])
        #expect(try process.send(["all", "suite"]) == [["own": 1]])
        try process.send(["removeAll", "suite"])
        #expect(try Data(contentsOf: sandbox.file(of: ".GlobalPreferences")) == Data(text.utf8))
    }

    @Test(arguments: [
        "", ".hidden", ".GlobalPreferences", "a/b", "../escape", "/absolute", "nul\u{0}",
        String(repeating: "s", count: 201), "NSGlobalDomain", "NSArgumentDomain",
    ])
    func refusedSuiteReadsAsEmptyAndThrows(name: String) throws {
        // Opening a refused suite touches nothing, so it may be done in this process.
        let store = UserDefaultsKVStore(suiteName: name)
        let key = KVKey<Int>("key")
        #expect(store.get(key) == nil)
        #expect(!store.contains(key))
        let attempts: [() throws -> Void] = [
            { try store.set(key, value: 1) }, { _ = try store.value(for: key) },
            { try store.remove(key) }, { _ = try store.keys() }, { try store.removeAll() },
            { try store.update(key) { $0 = 2 } }, { try store.flush() },
        ]
        for attempt in attempts {
            let error = #expect(throws: KVStoreError.self) { try attempt() }
            #expect(error?.code == .invalidSuite)
        }
    }

    @Test
    func storeRefusesToWriteUntilTheDeviceIsUnlocked() throws {
        try sandbox.run(["set", "suite", "count", 7])
        let process = try sandbox.start()
        try process.send(["lockDevice", "suite"])
        for command: PropertyListValue in [
            ["get", "suite", "count"], ["all", "suite"], ["set", "suite", "count", 1],
            ["remove", "suite", "count"], ["bump", "suite", "count", 1], ["removeAll", "suite"],
            ["setAll", "suite", ["count": 1]], ["flush", "suite"],
        ] {
            #expect(code(try process.send(command)) == "storageUnavailable", "\(command)")
        }
        #expect(try process.send(["contains", "suite", "count"]) == [false])
        try process.send(["unlockDevice"])
        #expect(try process.send(["bump", "suite", "count", 1]) == [])
        #expect(try process.send(["get", "suite", "count"]) == [8])
    }

    @Test
    func fileThatMayNotBeOpenedYetIsOutOfReachAndAMissingOneIsNot() {
        #expect(StorageAvailability.isAvailable(opening: nil))
        #expect(StorageAvailability.isAvailable(opening: SystemError(ENOENT, "open")))
        #expect(!StorageAvailability.isAvailable(opening: SystemError(EPERM, "open")))
    }

    @Test
    func longestSuiteNameIsStored() throws {
        let suite = PropertyListValue.string(String(repeating: "s", count: 200))
        try sandbox.run(["set", suite, "key", 1])
        #expect(try sandbox.run(["get", suite, "key"]) == [[1]])
    }

    @Test
    func ownNameOfTheProgramIsTheStandardDomain() throws {
        let process = try sandbox.start()
        try process.send(["set", "standard", "key", 1])
        #expect(try process.send(["get", "UserDefaultsHelper", "key"]) == [1])
        try process.send(["set", "UserDefaultsHelper", "key", 2])
        #expect(try process.send(["rawGet", "standard", "key"]) == ["Int 2"])
    }

    @Test
    func suitesAreKeptApart() throws {
        let process = try sandbox.start()
        try process.send(["set", "one", "key", 1])
        try process.send(["set", "two", "key", 2])
        try process.send(["removeAll", "one"])
        process.end()
        #expect(try sandbox.run(["all", "one"], ["all", "two"]) == [[[:]], [["key": 2]]])
    }

    @Test
    func transactionIsStoredWhole() throws {
        let process = try sandbox.start()
        try process.send(["setAll", "suite", ["a": 1, "b": [2], "c": "3"]])
        #expect(try process.send(["all", "suite"]) == [["a": 1, "b": [2], "c": "3"]])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["a": 1, "b": [2], "c": "3"]]])
    }

    @Test
    func tenThousandKeysAreStoredAndRemovedInOneCommitEach() throws {
        let process = try sandbox.start()
        try process.send(["fill", "suite", 10_000])
        #expect(try process.send(["get", "suite", "key9999"]) == ["value 9999"])
        try process.send(["watch", "suite", ""])
        // Foundation's own way of clearing a domain of this size takes eight seconds.
        let took = try process.send(["time", "removeAll", "suite"])
        let delivery = try process.send(["next", 60])
        guard case .array(let deliveries) = delivery,
            case .dictionary(let commit)? = deliveries.first,
            case .dictionary(let changes)? = commit["changes"]
        else {
            Issue.record("no delivery")
            return
        }
        #expect(changes.count == 10_000)
        #expect(changes["key9999"] == [["value 9999"], []])
        #expect(try process.send(["next", 0]) == [])
        #expect(try process.send(["all", "suite"]) == [[:]])
        process.end()
        #expect(try sandbox.run(["all", "suite"]) == [[[:]]])
        print("removeAll of 10,000 keys: \(took) s")
    }

    @Test
    func threadsSeeTheirOwnWrites() throws {
        let process = try sandbox.start()
        #expect(try process.send(["hammer", "suite", 50]) == [0])
    }

    @Test
    func readersBesideATransactionSeeAllOrNothingOfIt() throws {
        let process = try sandbox.start()
        #expect(try process.send(["pairs", "suite", 100]) == [0])
    }

    @Test
    func firstReadsOnManyThreadsFindWhatIsThere() throws {
        for suite in 0..<10 {
            try sandbox.run(["set", .string("suite\(suite)"), "key", "there"])
        }
        let process = try sandbox.start()
        for suite in 0..<10 {
            #expect(try process.send(["firstTouch", .string("suite\(suite)"), "key"]) == [0])
        }
    }
}

/// The old and new value, each in an array, of a key in an answer with a delivery.
func change(of key: String, in answer: PropertyListValue) -> PropertyListValue? {
    guard case .array(let deliveries) = answer, case .dictionary(let delivery)? = deliveries.first,
        case .dictionary(let changes)? = delivery["changes"]
    else { return nil }
    return changes[key]
}
