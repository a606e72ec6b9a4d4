#if os(Linux)
import Foundation
import KVStore
import TestSupport
import Testing

@Suite("UserDefaultsKVStore: coalesced writes", .onOwnThreads)
struct CoalescedTests {
    private static let suite: PropertyListValue = "coalesced suite"

    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test
    func coalescedWriteIsInForceAtOnceAndOnDiskAfterAFlush() throws {
        let process = try sandbox.start()
        try process.send(["watch", Self.suite, "key"])
        try process.send(["set", Self.suite, "key", 1])
        #expect(try process.send(["get", Self.suite, "key"]) == [1])
        #expect(try process.send(["rawGet", "suite", "key"]) == ["Int 1"])
        #expect(change(of: "key", in: try process.send(["next", 5])) == [[], [1]])
        try process.send(["flush", Self.suite])
        process.kill()
        #expect(try sandbox.run(["get", "suite", "key"]) == [[1]])
    }

    @Test
    func killLosesNothingOlderThanTheLastFlushAndNoneOutOfOrder() throws {
        for round in 0..<ProcessTests.kills {
            let key = PropertyListValue.string("round\(round)")
            let process = try sandbox.start()
            process.post(["countUp", Self.suite, key])
            var flushed = 0
            for _ in 0..<Int.random(in: 1...5) {
                flushed = try #require(process.readLine().flatMap { Int($0) })
            }
            usleep(UInt32.random(in: 0...3_000))
            process.kill()
            while let line = process.readLine(), let index = Int(line) { flushed = index }
            let again = PropertyListValue.string("round\(round) again")
            let values = try sandbox.run(["get", "suite", key], ["get", "suite", again])
            #expect(values[0] == values[1])
            guard case .array(let found) = values[0], case .integer(let number)? = found.first
            else {
                Issue.record("no value in round \(round)")
                return
            }
            #expect(number >= flushed)
        }
    }

    @Test
    func commitThatIsNotCoalescedWritesTheEarlierOnesToo() throws {
        let process = try sandbox.start()
        try process.send(["set", Self.suite, "early", 1])
        try process.send(["set", Self.suite, "key", "first"])
        try process.send(["set", "suite", "key", "second"])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["early": 1, "key": "second"]]])
    }

    @Test
    func oneStoreThatWritesAtOnceMakesAllDoSo() throws {
        let process = try sandbox.start()
        try process.send(["get", "suite", "key"])
        try process.send(["set", Self.suite, "key", 1])
        process.kill()
        #expect(try sandbox.run(["get", "suite", "key"]) == [[1]])
    }

    @Test(.timeLimit(.minutes(10)))
    func coalescedWriteReachesTheDiskByItself() throws {
        let process = try sandbox.start()
        try process.send(["set", Self.suite, "key", 1])
        let reader = try sandbox.start()
        try reader.send(["watch", "suite", "key"])
        if try reader.send(["get", "suite", "key"]) != [1] {
            #expect(change(of: "key", in: try reader.send(["next", 60])) == [[], [1]])
        }
        process.kill()
        #expect(try sandbox.run(["get", "suite", "key"]) == [[1]])
    }

    @Test
    func coalescedWriteIsWrittenWhenTheProgramEnds() throws {
        try sandbox.run(["set", Self.suite, "key", 1], ["remove", Self.suite, "other"])
        #expect(try sandbox.run(["all", "suite"]) == [[["key": 1]]])
    }

    @Test
    func coalescedWriteIsWrittenWhenTheLastStoreGoes() throws {
        let process = try sandbox.start()
        try process.send(["set", Self.suite, "key", 1])
        try process.send(["close", Self.suite])
        process.kill()
        #expect(try sandbox.run(["get", "suite", "key"]) == [[1]])
    }

    @Test
    func failureToWriteIsReportedAndTheValueIsWrittenLater() throws {
        let process = try sandbox.start()
        try process.send(["set", Self.suite, "witness", 1])
        try process.send(["flush", Self.suite])
        try process.send(["limitFiles", 4096])
        let big = PropertyListValue.string(String(repeating: "x", count: 10_000))
        try process.send(["set", Self.suite, "key", big])
        #expect(code(try process.send(["flush", Self.suite])) == "unwritable")
        #expect(try process.send(["get", Self.suite, "key"]) == [big])
        #expect(try process.send(["get", Self.suite, "witness"]) == [1])
        try process.send(["limitFiles", 0])
        #expect(try process.send(["flush", Self.suite]) == [])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["key": big, "witness": 1]]])
    }

    @Test
    func valuesAreEqualAfterReopening() throws {
        let writer = try sandbox.start()
        for (index, entry) in Battery.values.enumerated() {
            let key = PropertyListValue.string("value\(index)")
            try writer.send(["set", Self.suite, key, 1])
            try writer.send(["setText", Self.suite, key, .string(entry.value.jsonText)])
        }
        writer.end()
        let reader = try sandbox.start()
        for (index, entry) in Battery.values.enumerated() {
            let get = try reader.send(["getText", "suite", .string("value\(index)")])
            #expect(get == [.string(entry.value.jsonText)], "\(entry.name)")
        }
    }
}
#endif
