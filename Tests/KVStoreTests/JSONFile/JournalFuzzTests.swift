import Foundation
import KVStore
import TestSupport
import Testing

/// Journals that were altered at random.
@Suite("Journal text, altered at random", .onOwnThreads)
struct JournalFuzzTests {
    /// How many journals are altered: two million with `KVSTORE_FULL_LOAD` set.
    private static let count =
        ProcessInfo.processInfo.environment["KVSTORE_FULL_LOAD"] == nil ? 20_000 : 2_000_000

    @Test func aRecordThatWasNotWrittenIsNeverRead() async throws {
        let folder = try TemporaryFolder()
        let store = try JSONFileKVStore(url: folder.file())
        for number: Int64 in 0..<12 {
            try store.transaction { t in
                try t.setStoredValue(.integer(number), for: "key\(number % 5)")
                try t.setStoredValue(.string(String(repeating: "é\"\n", count: 3)), for: "text")
                if number % 3 == 0 { try t.setStoredValue(nil, for: "key1") }
            }
        }
        let bytes = Array(try Data(contentsOf: folder.file("settings.json.journal")))
        let original = try JournalText.contents(of: bytes)
        #expect(original.ending == .whole)
        #expect(original.records.count >= 11)
        let (values, _) = original.replayed(over: [:])
        #expect(try values == store.storedValues())
        var generator = SeededGenerator(seed: 11)
        var whole = 0
        for _ in 0..<Self.count {
            var altered = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                Self.alter(&altered, using: &generator)
            }
            guard let read = try? JournalText.contents(of: altered) else { continue }
            // Whatever is read is what was written, from the beginning on.
            let isPrefix = read.records == Array(original.records.prefix(read.records.count))
            if !isPrefix || read.header != original.header {
                Issue.record("read \(read.records.count) records of \(altered)")
                return
            }
            if read.ending == .whole { whole += 1 }
        }
        // Some alterations undo each other, repeat a byte or cut whole lines off.
        #expect(whole < Self.count / 2)
    }

    private static func alter(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, index + Int.random(in: 1...90, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[index] = .random(in: .min ... .max, using: &generator)
        case 2: bytes.removeSubrange(index...)
        case 3: bytes.removeSubrange(index..<end)
        case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
        default: bytes += bytes[index..<end]
        }
    }
}
