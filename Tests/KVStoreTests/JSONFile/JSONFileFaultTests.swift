import Foundation
import KVStore
import TestSupport
import Testing

/// One commit, with the system failing at each of its calls in turn.
@Suite("JSONFile faults", .onOwnThreads)
struct JSONFileFaultTests {
    private static let old: [String: PropertyListValue] = ["a": 1, "b": 1]
    private static let new: [String: PropertyListValue] = ["a": 2, "b": 2]

    /// Commits with a failure after each number of calls until none is reached any more.
    private func forEachCall(
        startsEmpty: Bool,
        staysDead: Bool,
        _ check: (_ domain: JSONFileDomain, _ url: URL, _ error: KVStoreError?, _ call: String)
            throws -> Void
    ) throws -> Set<String> {
        var calls: Set<String> = []
        for number in 0..<200 {
            let folder = try TemporaryFolder()
            let url = folder.file()
            if !startsEmpty { try folder.write("{\"a\": 1, \"b\": 1}") }
            let system = FaultyFileSystem(staysDead: staysDead)
            let path = try system.resolve(url.path)
            let domain = JSONFileDomain(JSONFileEngine(path: path, on: system))
            try domain.load(quarantining: false)
            system.fail(after: number)
            var error: KVStoreError?
            do {
                try TransactionEngine.run(on: domain, by: HandleID()) { t in
                    for (name, value) in Self.new { try t.setStoredValue(value, for: name) }
                }
            } catch let thrown as KVStoreError {
                error = thrown
            }
            guard let call = system.failedCall else {
                #expect(error == nil)
                return calls
            }
            calls.insert(call)
            try check(domain, url, error, "\(call), call \(number)")
        }
        Issue.record("A commit makes too many calls.")
        return calls
    }

    @Test(arguments: [true, false])
    func aFailedCommitLeavesFileAndMemoryAsTheyWere(_ startsEmpty: Bool) throws {
        let calls = try forEachCall(startsEmpty: startsEmpty, staysDead: false) {
            domain,
            url,
            error,
            call in
            let old = startsEmpty ? [:] : Self.old
            // A failure is an error and the old values, or does no harm, or came after the values
            // were in place.
            let isInForce = error == nil || error?.code == .notDurable
            let expected = isInForce ? Self.new : old
            #expect(domain.storedValues() == expected, "\(call): \(String(describing: error))")
            #expect(try JSONFileKVStore(url: url).storedValues() == expected, "\(call)")
            // The next commit works and removes what was left.
            try domain.set(3, for: "a", by: HandleID())
            let folder = url.deletingLastPathComponent().path
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(
                call.hasPrefix("remove")
                    || Set(names) == ["settings.json", "settings.json.lock"],
                "\(call)"
            )
        }
        #expect(calls.isSuperset(of: ["open", "write", "synchronize", "flock", "stat", "fstat"]))
        #expect(calls.contains(startsEmpty ? "link" : "exchange"))
    }

    @Test(arguments: [true, false])
    func aWriterThatDiesAtAnyCallLeavesTheOldValuesOrTheNew(_ startsEmpty: Bool) throws {
        var outcomes: Set<Int> = []
        _ = try forEachCall(startsEmpty: startsEmpty, staysDead: true) { _, url, error, call in
            let values = try JSONFileKVStore(url: url).storedValues()
            let old = startsEmpty ? [:] : Self.old
            #expect(values == old || values == Self.new, "\(call)")
            if error == nil || error?.code == .notDurable { #expect(values == Self.new, "\(call)") }
            outcomes.insert(values == Self.new ? 1 : 0)
            try JSONFileKVStore(url: url).setStoredValue(3, for: "a")
            let folder = url.deletingLastPathComponent().path
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(names) == ["settings.json", "settings.json.lock"], "\(call)")
        }
        #expect(outcomes == [0, 1])
    }
}
