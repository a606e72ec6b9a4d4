#if os(Linux)
import Foundation
import KVStore
import TestSupport
import Testing

@Suite("UserDefaultsKVStore: changes by others", .onOwnThreads)
struct ForeignChangeTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test
    func changesOfAnotherProcessAreDelivered() throws {
        let observer = try sandbox.start()
        try observer.send(["watch", "suite", "key"])
        let writer = try sandbox.start()
        try writer.send(["set", "suite", "key", 1])
        let first = try observer.send(["next", 10])
        #expect(change(of: "key", in: first) == [[], [1]])
        #expect(field("origin", in: first) == "anotherProcess")
        #expect(field("merged", in: first) == true)
        try writer.send(["set", "suite", "key", 2])
        #expect(change(of: "key", in: try observer.send(["next", 10])) == [[1], [2]])
        #expect(try observer.send(["get", "suite", "key"]) == [2])
        try writer.send(["remove", "suite", "key"])
        #expect(change(of: "key", in: try observer.send(["next", 10])) == [[2], []])
    }

    @Test
    func readsSeeWhatAnotherProcessWroteWithoutObserving() throws {
        let reader = try sandbox.start()
        #expect(try reader.send(["get", "suite", "key"]) == [])
        let writer = try sandbox.start()
        for value in 0..<50 as Range<Int64> {
            try writer.send(["set", "suite", "key", .integer(value)])
            #expect(try reader.send(["get", "suite", "key"]) == [.integer(value)])
        }
    }

    @Test
    func rawWritesInTheProcessAreDeliveredWhenTheySynchronize() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "other", 1])
        try process.send(["watch", "suite", ""])
        try process.send(["rawSet", "suite", "dotted.key", "raw"])
        try process.send(["rawSync", "suite"])
        #expect(change(of: "dotted.key", in: try process.send(["next", 10])) == [[], ["raw"]])
    }

    @Test
    func rawWriteBeforeACommitIsDeliveredBeforeIt() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "key", 1])
        try process.send(["watch", "suite", "key"])
        try process.send(["rawSet", "suite", "key", 2])
        try process.send(["set", "suite", "key", 3])
        let deliveries = try (0..<2).map { _ in try process.send(["next", 10]) }
        #expect(deliveries.map { change(of: "key", in: $0) } == [[[1], [2]], [[2], [3]]])
        #expect(deliveries.map { field("origin", in: $0) } == ["anotherProcess", "thisStore"])
        #expect(deliveries.map { field("sequence", in: $0) } == [2, 3])
    }

    @Test
    func ownCommitsAreDeliveredOnce() throws {
        let process = try sandbox.start()
        try process.send(["watch", "suite", ""])
        for value in 0..<20 as Range<Int64> {
            try process.send(["set", "suite", "key", .integer(value)])
            let delivery = try process.send(["next", 10])
            #expect(field("origin", in: delivery) == "thisStore")
            let old: PropertyListValue = value == 0 ? [] : [.integer(value - 1)]
            #expect(change(of: "key", in: delivery) == [old, [.integer(value)]])
        }
        #expect(try process.send(["next", 0]) == [])
    }

    @Test
    func damagedFileIsNotReportedAsRemovals() throws {
        let observer = try sandbox.start()
        try observer.send(["setAll", "suite", ["a": 1, "b": 2]])
        try observer.send(["watch", "suite", ""])
        try Data().write(to: sandbox.file(of: "suite"))
        let writer = try sandbox.start()
        try writer.send(["set", "suite", "c", 3])
        let delivery = try observer.send(["next", 10])
        #expect(change(of: "c", in: delivery) == [[], [3]])
        #expect(change(of: "a", in: delivery) == nil)
        #expect(try observer.send(["all", "suite"]) == [["a": 1, "b": 2, "c": 3]])
    }

    @Test
    func lastDeliveryIsTheFinalValueOfABusyWriter() throws {
        let observer = try sandbox.start()
        try observer.send(["watch", "suite", "counter"])
        let writer = try sandbox.start()
        try writer.send(["bump", "suite", "counter", 200])
        var last: PropertyListValue?
        while last != [200] as PropertyListValue {
            let delivery = try observer.send(["next", 10])
            guard case .array(let both)? = change(of: "counter", in: delivery) else {
                Issue.record("no delivery after \(String(describing: last))")
                return
            }
            // Each begins where the one before it ended.
            #expect(both[0] == last ?? [] as PropertyListValue)
            last = both[1]
        }
    }

    @Test
    func rawWriterInAnotherProcessIsNeverSeenHalfWay() throws {
        let observer = try sandbox.start()
        try observer.send(["set", "suite", "ours", 1])
        try observer.send(["watch", "suite", "ours"])
        let raw = try sandbox.start()
        raw.post(["rawTear", "suite", "theirs"])
        try #require(raw.readLine() == "busy")
        for _ in 0..<25 {
            #expect(try observer.send(["get", "suite", "ours"]) == [1])
        }
        raw.kill()
        #expect(try observer.send(["next", 1]) == [])
    }

    @Test
    func observingCreatesNothing() throws {
        let process = try sandbox.start()
        try process.send(["watch", "suite", "key"])
        #expect(try sandbox.names() == [])
    }
}

/// A field of an answer with a delivery.
func field(_ name: String, in answer: PropertyListValue) -> PropertyListValue? {
    guard case .array(let deliveries) = answer, case .dictionary(let delivery)? = deliveries.first
    else { return nil }
    return delivery[name]
}
#endif
