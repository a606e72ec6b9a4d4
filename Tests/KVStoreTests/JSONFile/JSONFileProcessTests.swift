import Foundation
import KVStore
import TestSupport
import Testing

@Suite("JSONFile in several processes", .onOwnThreads)
struct JSONFileProcessTests {
    private let folder: TemporaryFolder
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file()
    }

    private let files: Set = ["settings.json", "settings.json.journal", "settings.json.lock"]

    /// Starts a helper that stands beside the tests.
    private func worker(_ command: String, _ url: URL, _ rest: String...) -> (Process, Pipe) {
        let process = Process()
        let output = Pipe()
        #if canImport(Darwin)
        let built = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?
            .bundleURL.deletingLastPathComponent()
        #else
        let built = Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
        process.executableURL = built?.appending(path: "JSONFileWorker")
        process.arguments = [command, url.path] + rest
        process.standardOutput = output
        return (process, output)
    }

    private func run(_ command: String, _ url: URL, _ rest: [String] = []) throws -> String {
        let (process, output) = worker(command, url)
        process.arguments = [command, url.path] + rest
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test func valuesOfEveryKindAreEqualAtOnceInASecondStoreAndInAnotherProcess() throws {
        let values = GoldenFileTests.values
        let store = try JSONFileKVStore(url: url)
        for (name, value) in values { try store.setStoredValue(value, for: name) }
        #expect(try store.storedValues() == values)
        #expect(try JSONFileKVStore(url: url).storedValues() == values)
        #expect(try PropertyListValue(jsonText: run("print", url)) == .dictionary(values))
    }

    @Test func eightWritersLoseNothingAndAnObserverSeesThemInOrder() async throws {
        let rounds = 25
        let store = try JSONFileKVStore(url: url)
        let count = KVDefaultKey("count", default: 0)
        let subscription = try #require(store.feed)
            .subscribe(to: ["count"], initial: true, bufferingPolicy: .unbounded)
        let processes = (0..<8).map { worker("write", url, "writer\($0)", "\(rounds)").0 }
        for process in processes { try process.run() }
        var last: Int64 = 0
        var sequence: UInt64 = 0
        while last < 8 * rounds {
            let delivery = try #require(await subscription.next())
            guard case .integer(let value)? = delivery.values[0] else { continue }
            #expect(value > last)
            #expect(store.get(count) >= Int(value))
            last = value
            // Whoever opens the file meanwhile finds a whole one, if it was written yet.
            if let data = try? Data(contentsOf: url) {
                #expect(throws: Never.self) { try JSONText.values(from: Array(data)) }
            }
            guard let commit = delivery.commit else { continue }
            #expect(commit.origin == .anotherProcess)
            #expect(commit.sequence > sequence)
            sequence = commit.sequence
        }
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let values = try store.storedValues()
        #expect(values.count == 8 * rounds + 1)
        #expect(values["count"] == .integer(Int64(8 * rounds)))
        // Each of them wrote the file when it ended.
        #expect(try JSONText.values(from: Array(Data(contentsOf: url))) == values)
        #expect(try folder.names() == files)
    }

    /// How often writers are killed; `KVSTORE_KILLS` asks for more.
    private static let kills =
        ProcessInfo.processInfo.environment["KVSTORE_KILLS"].flatMap { Int($0) } ?? 20

    @Test(arguments: ["process", "power"])
    func aKilledWriterLeavesEveryCommitThatItAcknowledgedAndNoHalfOne(
        _ durability: String
    ) throws {
        for _ in 0..<Self.kills {
            let (process, output) = worker("pairs", url, durability)
            try process.run()
            var acknowledged = ""
            // Once it runs, it is killed at whatever moment the next few bytes come out.
            for _ in 0..<Int.random(in: 1...4) {
                acknowledged += String(
                    decoding: output.fileHandleForReading.availableData,
                    as: UTF8.self
                )
            }
            kill(process.processIdentifier, SIGKILL)
            let rest = try output.fileHandleForReading.readToEnd() ?? Data()
            acknowledged += String(decoding: rest, as: UTF8.self)
            process.waitUntilExit()
            let last = try #require(acknowledged.split(separator: "\n").last.flatMap { Int($0) })
            let store = try JSONFileKVStore(url: url)
            let first = store.get(KVDefaultKey("first", default: 0))
            #expect(first == last || first == last + 1)
            #expect(store.get(KVDefaultKey("second", default: 0)) == first)
        }
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(true, for: "done")
        try store.flush()
        let names = try folder.names()
        #expect(names == files)
    }

    @Test(arguments: [1, 3])
    func anObserverThatWasStoppedMissesNothingUnlessTheHistoryIsGone(
        _ publications: Int
    ) throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(0, for: "number")
        let (process, output) = worker("observe", url)
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        var text = ""
        func nextLine() throws -> Substring {
            while true {
                if let end = text.firstIndex(of: "\n") {
                    defer { text = String(text[text.index(after: end)...]) }
                    return text[..<end]
                }
                let data = output.fileHandleForReading.availableData
                try #require(!data.isEmpty)
                text += String(decoding: data, as: UTF8.self)
            }
        }
        #expect(try nextLine() == "ready")
        kill(process.processIdentifier, SIGSTOP)
        var last: Int64 = 0
        for _ in 0..<publications {
            for _ in 0..<200 {
                last += 1
                try store.setStoredValue(.integer(last), for: "number")
            }
            try store.flush()
        }
        for _ in 0..<200 {
            last += 1
            try store.setStoredValue(.integer(last), for: "number")
        }
        kill(process.processIdentifier, SIGCONT)
        var seen: [Int64] = []
        var isMerged = false
        while seen.last != last {
            let parts = try nextLine().split(separator: " ")
            let number = try #require(Int64(parts[0]))
            // No repeat and no step back; a gap only where the commit says so.
            #expect(number > seen.last ?? 0)
            if number != (seen.last ?? 0) + 1 { #expect(parts[1] == "true") }
            isMerged = isMerged || parts[1] == "true"
            seen.append(number)
        }
        #expect(isMerged == (publications > 1))
        if publications == 1 { #expect(seen == Array(1...last)) }
    }

    @Test func commitsOfAnotherProcessAndEditsAreToldApart() async throws {
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue(0, for: "a")
        let subscription = try #require(store.feed)
            .subscribe(to: nil, initial: false, bufferingPolicy: .unbounded)
        #expect(try run("set", url, ["a", "1"]) == "")
        let foreign = try #require(await subscription.next()?.commit)
        #expect(foreign.origin == .anotherProcess)
        #expect(!foreign.isMerged)
        #expect(foreign.change(of: "a")?.old == 0)
        #expect(foreign.change(of: "a")?.new == 1)
        try Data("{\"a\": 2}".utf8).write(to: url, options: .atomic)
        let edit = try #require(await subscription.next()?.commit)
        #expect(edit.origin == .fileEdit)
        #expect(edit.change(of: "a")?.new == 2)
        try store.setStoredValue(3, for: "a")
        #expect(await subscription.next()?.commit?.origin == .thisStore)
    }

    @Test func aFullDiskLeavesFileAndMemoryAsTheyWere() throws {
        try folder.write("{\"a\": \"old\"}")
        #expect(try run("fill", url) == "unwritable old\n")
        #expect(try folder.text() == "{\"a\": \"old\"}")
        #expect(try folder.names() == ["settings.json", "settings.json.lock"])
        let store = try JSONFileKVStore(url: url)
        try store.setStoredValue("b", for: "b")
        #expect(try run("fill", url) == "unwritable old\n")
        #expect(try store.storedValues() == ["a": "old", "b": "b"])
        try store.setStoredValue("new", for: "a")
        #expect(try JSONText.values(from: Array(run("print", url).utf8)) == store.storedValues())
    }

    @Test(.enabled(if: getuid() == 0))
    func aFileThatMayNotBeReadIsUnreadableAndAFolderThatMayNotBeWrittenUnwritable() throws {
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        try folder.write("{\"a\": 0}")
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        #expect(try run("unprivileged", url) == "unreadable\n")
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        #expect(try run("unprivileged", url) == "unwritable\n")
        #expect(try folder.text() == "{\"a\": 0}")
        #expect(try folder.names() == ["settings.json"])
    }
}
