import Foundation
import KVStore
import TestSupport
import Testing

/// Journals that are cut off or altered anywhere: what can be read is a prefix of the commits, and
/// what is committed afterwards is there.
@Suite("JSONFile damage", .onOwnThreads)
struct JSONFileDamageTests {
    private static let path = "/settings.json"
    private static let journal = "/settings.json.journal"
    private static let lock = "/settings.json.lock"

    /// A journal, the image beside it and what the store has held, in its order.
    struct Sample: CustomTestStringConvertible {
        let testDescription: String
        var files: [String: [UInt8]]
        let states: [[String: PropertyListValue]]
    }

    private static func samples() throws -> [Sample] {
        let image = Array("{\"a\": 0, \"x\": true}".utf8)
        let changes: [[String: PropertyListValue?]] = [
            ["a": 1, "b": "né"], ["a": 2, "x": nil], ["b": [1.5, "two"]], ["c": 3],
        ]
        return try [nil, image].flatMap { image in
            let disk = try MemoryDisk(files: image.map { [path: $0] } ?? [:])
            let process = MemoryFileSystem(disk)
            defer { process.kill() }
            let domain = try process.domain()
            var states = [try domain.storedValues()]
            for change in changes {
                try domain.change(change)
                states.append(try domain.storedValues())
            }
            var files = disk.contents
            files[lock] = nil
            let name = image == nil ? "no image" : "an image"
            var published = files
            published[path] = JSONText.text(of: states[states.count - 1])
            return [
                Sample(testDescription: name, files: files, states: states),
                Sample(testDescription: "\(name), published", files: published, states: states),
            ]
        }
    }

    /// Opens a store, commits to it and opens it again.
    private func check(
        _ files: [String: [UInt8]],
        _ allowed: [[String: PropertyListValue]],
        _ comment: Comment
    ) throws {
        let disk = try MemoryDisk(files: files)
        let first = MemoryFileSystem(disk)
        let found: [String: PropertyListValue]
        do {
            let domain = try first.domain()
            found = try domain.storedValues()
            #expect(allowed.contains(found), comment)
            try domain.change(["next": 1])
            first.kill()
        } catch let error as KVStoreError where error.code == .newerFormat {
            // One altered digit is that of the version.
            first.kill()
            #expect(files[Self.journal]?.starts(with: "KVJ1".utf8) == false)
            #expect(disk.contents == files)
            return
        }
        let second = MemoryFileSystem(disk)
        defer { second.kill() }
        let next = found.merging(["next": 1]) { $1 }
        #expect(try second.domain().storedValues() == next, comment)
    }

    @Test func aJournalCutOffAnywhereHoldsAPrefixOfTheCommitsAndTakesNewOnes() throws {
        try KVStoreError.withHandler({ _ in }) {
            for sample in try Self.samples() {
                let journal = try #require(sample.files[Self.journal])
                for count in 0..<journal.count {
                    var files = sample.files
                    files[Self.journal] = Array(journal.prefix(count))
                    try check(files, sample.states, "\(sample.testDescription), \(count) bytes")
                }
            }
        }
    }

    @Test func aJournalAlteredAnywhereHoldsAPrefixOfTheCommitsAndTakesNewOnes() throws {
        try KVStoreError.withHandler({ _ in }) {
            for sample in try Self.samples() {
                let journal = try #require(sample.files[Self.journal])
                for index in journal.indices {
                    for bit in 0..<8 where Load.isFull || bit == index % 8 {
                        var files = sample.files
                        files[Self.journal]?[index] ^= 1 << UInt8(bit)
                        try check(
                            files,
                            sample.states,
                            "\(sample.testDescription), bit \(bit) of byte \(index)"
                        )
                    }
                }
            }
        }
    }

    @Test func lockFilesOfAnyKindServe() throws {
        var odd = [UInt8](repeating: 0x20, count: GenerationPage.fileSize)
        odd.setGeneration(7)
        var even = odd
        even.setGeneration(8)
        let locks = [nil, [], Array("short".utf8), odd, even, odd + odd]
        for sample in try Self.samples() {
            for lock in locks {
                var files = sample.files
                files[Self.lock] = lock
                try check(
                    files,
                    [sample.states[sample.states.count - 1]],
                    "\(sample.testDescription), lock file of \(lock?.count ?? -1) bytes"
                )
            }
        }
    }

    @Test func aDamagedJournalIsKeptAndReported() throws {
        let sample = try Self.samples()[0]
        var files = sample.files
        let count = try #require(files[Self.journal]?.count)
        files[Self.journal]?[count - 30] ^= 1
        let damaged = files[Self.journal]
        let disk = try MemoryDisk(files: files)
        let process = MemoryFileSystem(disk)
        defer { process.kill() }
        let errors = Errors()
        try KVStoreError.withHandler(errors.append) {
            let domain = try process.domain()
            #expect(try domain.storedValues() == sample.states[3])
            #expect(disk.contents == files)
            try domain.change(["next": 1])
        }
        #expect(errors.all.map(\.code) == [.corrupt])
        let kept = disk.contents.filter { $0.key.hasPrefix(Self.journal + ".damaged-") }
        #expect(Array(kept.values) == [damaged])
    }

    @Test func aJournalOfALaterVersionIsRefusedAndNothingIsTouched() throws {
        let sample = try Self.samples()[1]
        var files = sample.files
        files[Self.journal]?[3] = UInt8(ascii: "2")
        files["/.settings.json.0123456789abcdef.tmp"] = []
        files[Self.lock] = [UInt8](repeating: 0, count: GenerationPage.fileSize)
        let disk = try MemoryDisk(files: files)
        let process = MemoryFileSystem(disk)
        defer { process.kill() }
        let domain = JSONFileDomain(JSONFileEngine(path: Self.path, on: process))
        let actions: [() throws -> Void] = [
            { try domain.file.load(quarantining: false) },
            { try domain.file.load(quarantining: true) },
            { _ = try domain.storedValue(for: "a") }, { _ = try domain.storedValues() },
            { try domain.change(["a": 9]) }, { try domain.change(["a": 9], isFlushed: true) },
            { try domain.flush() },
        ]
        for action in actions {
            let error = #expect(throws: KVStoreError.self) { try action() }
            #expect(error?.code == .newerFormat)
        }
        #expect(disk.contents == files)
    }
}
