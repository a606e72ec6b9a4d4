#if os(Linux)
import Foundation
import KVStore
import TestSupport
import Testing

@Suite("UserDefaultsKVStore: processes", .onOwnThreads)
struct ProcessTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    /// How often the kill tests kill, and a fifth of how often others write; `KVSTORE_KILLS` asks
    /// for more.
    static var kills: Int {
        ProcessInfo.processInfo.environment["KVSTORE_KILLS"].flatMap { Int($0) } ?? 20
    }

    @Test
    func everyAcknowledgedValueSurvivesAKill() throws {
        var expected: [String: PropertyListValue] = ["base": 1]
        try sandbox.run(["set", "suite", "base", 1])
        for round in 0..<Self.kills {
            // Kept small, so that many rounds do not measure the size of the domain.
            if round % 20 == 19 {
                try sandbox.run(["removeAll", "suite"], ["set", "suite", "base", 1])
                expected = ["base": 1]
            }
            let writer = try sandbox.start()
            writer.post(["append", "suite", .string("round\(round)."), 1_000_000])
            for index in 0..<Int.random(in: 1...12) {
                try #require(writer.readLine() == "\(index)")
                expected["round\(round).\(index)"] = .integer(Int64(index))
            }
            let pause = UInt32.random(in: 0...4_000)
            usleep(pause)
            writer.kill()
            while let line = writer.readLine(), let index = Int64(line) {
                expected["round\(round).\(index)"] = .integer(index)
            }
            guard case .array(let all) = try sandbox.run(["all", "suite"]).first,
                case .dictionary(let values) = all.first
            else {
                Issue.record("no values in round \(round)")
                return
            }
            let lost = expected.filter { values[$0.key] != $0.value }
            try #require(lost.isEmpty, "round \(round)")
            // A write that was under way may be in force.
            try #require(values.count <= expected.count + 1)
            expected = values
        }
    }

    @Test
    func acknowledgedValuesSurviveRawWritersThatAreKilled() throws {
        for round in 0..<Self.kills {
            let round = PropertyListValue.integer(Int64(round))
            try sandbox.run(["set", "suite", "ours", round])
            let raw = try sandbox.start()
            raw.post(["rawTear", "suite", "theirs"])
            try #require(raw.readLine() == "busy")
            usleep(UInt32.random(in: 0...3_000))
            raw.kill()
            #expect(try sandbox.run(["get", "suite", "ours"]) == [[round]])
        }
    }

    @Test
    func twoProcessesLoseNoKeyOfEachOther() throws {
        let count = Self.kills * 5
        let writers = try ["a", "b"].map { prefix in
            let writer = try sandbox.start()
            writer.post(["append", "suite", .string(prefix), .integer(Int64(count))])
            return writer
        }
        for writer in writers {
            for _ in 0..<count { _ = writer.readLine() }
            #expect(writer.readLine() == "[]")
            writer.end()
        }
        guard case .array(let all) = try sandbox.run(["all", "suite"]).first,
            case .dictionary(let values) = all.first
        else {
            Issue.record("no values")
            return
        }
        #expect(values.count == 2 * count)
    }

    @Test
    func twoProcessesCountExactly() throws {
        let count = Self.kills * 5
        let writers = try (0..<2).map { _ in
            let writer = try sandbox.start()
            writer.post(["bump", "suite", "counter", .integer(Int64(count))])
            return writer
        }
        for writer in writers {
            #expect(writer.readLine() == "[]")
            writer.end()
        }
        #expect(try sandbox.run(["get", "suite", "counter"]) == [[.integer(Int64(2 * count))]])
    }

    @Test
    func readersNeverFindTheDomainEmptyWhileAnotherProcessWrites() throws {
        try sandbox.run(["set", "suite", "base", 1])
        let writer = try sandbox.start()
        writer.post(["bump", "suite", "counter", 1_000_000])
        for _ in 0..<20 {
            #expect(try sandbox.run(["get", "suite", "base"]) == [[1]])
        }
        let reader = try sandbox.start()
        for _ in 0..<50 {
            try reader.send(["flush", "suite"])
            #expect(try reader.send(["get", "suite", "base"]) == [1])
        }
        writer.kill()
    }

    @Test
    func writeOverWhatAnotherProcessWroteIsKept() throws {
        let one = try sandbox.start()
        let two = try sandbox.start()
        try one.send(["set", "suite", "key", "one"])
        try two.send(["set", "suite", "key", "two"])
        // Foundation alone takes this for no change.
        try one.send(["set", "suite", "key", "one"])
        try two.send(["set", "suite", "other", 1])
        #expect(try two.send(["get", "suite", "key"]) == ["one"])
        try two.send(["set", "suite", "gone", 1])
        try one.send(["remove", "suite", "gone"])
        #expect(try sandbox.run(["get", "suite", "gone"]) == [[]])
    }
}
#endif
