import Foundation
import KVStore
import TestSupport
import Testing

/// One commit or publication, with the system failing at each of its calls in turn.
@Suite("JSONFile faults", .onOwnThreads)
struct JSONFileFaultTests {
    /// What there is before the call that fails.
    enum Start: String, CaseIterable {
        case nothing, image, journal
    }

    private static let old: [String: PropertyListValue] = ["a": 1, "b": 1]
    private static let new: [String: PropertyListValue] = ["a": 2, "b": 2]
    private static let files: Set = [
        "settings.json", "settings.json.journal", "settings.json.lock",
    ]

    /// Does something with a failure after each number of calls until none is reached any more.
    ///
    /// - Returns: The names of all calls that were made.
    private func forEachCall(
        _ start: Start,
        staysDead: Bool,
        _ action: (JSONFileDomain) throws -> Void,
        _ check: (
            _ domain: JSONFileDomain, _ folder: TemporaryFolder, _ error: KVStoreError?,
            _ call: String
        ) throws -> Void
    ) throws -> Set<String> {
        var calls: Set<String> = []
        for number in 0..<300 {
            let folder = try TemporaryFolder()
            let url = folder.file()
            if start != .nothing { try folder.write("{\"a\": 1, \"b\": 1}") }
            let system = FaultyFileSystem(staysDead: staysDead)
            let path = try system.resolve(url.path)
            let domain = JSONFileDomain(JSONFileEngine(path: path, on: system))
            try domain.file.load(quarantining: false)
            if start == .journal { try domain.set(["c": 1]) }
            system.fail(after: number)
            var error: KVStoreError?
            do {
                try action(domain)
            } catch let thrown as KVStoreError {
                error = thrown
            }
            calls.formUnion(system.calls)
            guard let call = system.failedCall else {
                #expect(error == nil)
                return calls
            }
            try check(domain, folder, error, "\(call), call \(number), \(start)")
        }
        Issue.record("There are too many calls.")
        return calls
    }

    private func values(
        _ start: Start,
        _ values: [String: PropertyListValue]
    )
        -> [String: PropertyListValue]
    {
        start == .journal ? values.merging(["c": 1]) { $1 } : values
    }

    @Test(arguments: Start.allCases)
    func aFailedCommitLeavesFilesAndMemoryAsTheyWere(_ start: Start) throws {
        let calls = try forEachCall(start, staysDead: false, { try $0.set(Self.new) }) {
            domain,
            folder,
            error,
            call in
            // A failure is an error and the old values, or does no harm, or came after the values
            // were in force.
            let isInForce = error == nil || error?.code == .notDurable
            let old = start == .nothing ? [:] : Self.old
            let expected = values(start, isInForce ? Self.new : old)
            #expect(try domain.storedValues() == expected, "\(call): \(String(describing: error))")
            #expect(try JSONFileKVStore(url: folder.file()).storedValues() == expected, "\(call)")
            // The next commit works and removes what was left.
            try domain.set(["a": 3])
            let next = expected.merging(["a": 3]) { $1 }
            #expect(try JSONFileKVStore(url: folder.file()).storedValues() == next, "\(call)")
            try domain.flush()
            let names = try folder.names()
            #expect(call.hasPrefix("remove") || names == Self.files, "\(call)")
        }
        #expect(calls.isSuperset(of: ["write", "flock", "fstat"]))
        #expect(calls.contains("rename") == (start != .journal))
    }

    @Test(arguments: Start.allCases)
    func aFailedPublicationLosesNothingAndTheNextWorks(_ start: Start) throws {
        let expected = values(start, Self.new)
        for staysDead in [false, true] {
            let calls = try forEachCall(
                start,
                staysDead: staysDead,
                {
                    try $0.set(Self.new)
                    try $0.flush()
                }
            ) { domain, folder, error, call in
                let stored = try? domain.storedValue(for: "a")
                guard error == nil || stored == 2 else { return }
                if !staysDead { #expect(try domain.storedValues() == expected, "\(call)") }
                let other = try JSONFileKVStore(url: folder.file())
                #expect(try other.storedValues() == expected, "\(call)")
                try other.setStoredValue(3, for: "a")
                try other.flush()
                let next = expected.merging(["a": 3]) { $1 }
                #expect(try JSONText.values(from: Array(folder.text().utf8)) == next, "\(call)")
                #expect(try JSONFileKVStore(url: folder.file()).storedValues() == next, "\(call)")
                if !staysDead { #expect(try domain.storedValues() == next, "\(call)") }
            }
            #expect(calls.isSuperset(of: ["write", "synchronize", "rename", "synchronizeData"]))
            #expect(calls.contains(start == .nothing ? "link" : "exchange"))
        }
    }

    @Test(arguments: Start.allCases)
    func aWriterThatDiesAtAnyCallLeavesTheOldValuesOrTheNew(_ start: Start) throws {
        var outcomes: Set<Int> = []
        _ = try forEachCall(start, staysDead: true, { try $0.set(Self.new) }) {
            _,
            folder,
            error,
            call in
            let found = try JSONFileKVStore(url: folder.file()).storedValues()
            let old = values(start, start == .nothing ? [:] : Self.old)
            let new = values(start, Self.new)
            #expect(found == old || found == new, "\(call)")
            if error == nil || error?.code == .notDurable { #expect(found == new, "\(call)") }
            outcomes.insert(found == new ? 1 : 0)
            let store = try JSONFileKVStore(url: folder.file())
            try store.setStoredValue(3, for: "a")
            try store.flush()
            #expect(try folder.names() == Self.files, "\(call)")
        }
        // Where there is a journal, writing the line is the last call that can fail.
        #expect(outcomes == (start == .journal ? [0] : [0, 1]))
    }
}

extension JSONFileDomain {
    /// Stores values as one commit.
    func set(_ values: [String: PropertyListValue], isFlushed: Bool = false) throws {
        let changes = values.mapValues(PropertyListValue?.some)
        let draft = KVTransaction.Draft(expectation: KVExpectation(), changes: changes)
        _ = try commit(draft, by: HandleID(), isFlushed: isFlushed)
    }
}
