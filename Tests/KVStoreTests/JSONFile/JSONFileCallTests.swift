import Foundation
import KVStore
import Synchronization
import TestSupport
import Testing

/// What a store asks of the system, counted call by call.
@Suite("JSONFile calls", .onOwnThreads)
struct JSONFileCallTests {
    private static let path = "/settings.json"
    /// What a writer does before it decides: it takes the lock and looks at the three files.
    private static let look = ["flock", "fstat", "fstat", "fstat"]

    private func names(_ calls: [MemoryFileSystem.Call]) -> [String] { calls.map(\.name) }

    /// A store with a number of keys, all of them in the image.
    private func store(
        keys: Int
    ) throws -> (disk: MemoryDisk, process: MemoryFileSystem, domain: JSONFileDomain) {
        var values: [String: PropertyListValue] = ["a": 0]
        for number in 1..<keys { values["key\(number)"] = .integer(Int64(number)) }
        let disk = try MemoryDisk(files: [Self.path: JSONText.text(of: values)])
        let process = MemoryFileSystem(disk)
        let domain = try process.domain()
        try domain.change(["a": 1], isFlushed: true)
        return (disk, process, domain)
    }

    @Test func aCommitIsOneWriteWhateverTheNumberOfKeys() throws {
        var sizes: Set<Int> = []
        for keys in [100, 10_000] {
            let (_, process, domain) = try store(keys: keys)
            defer { process.kill() }
            let calls = try process.calls { try domain.change(["a": 2]) }
            #expect(names(calls) == Self.look + ["write"])
            sizes.formUnion(calls.filter { $0.name == "write" }.map(\.size))
            let flushed = try process.calls { try domain.change(["a": 3], isFlushed: true) }
            #expect(names(flushed) == Self.look + ["write", "synchronizeData"])
        }
        // The numbers of the stores may differ in their digits.
        let least = try #require(sizes.min())
        let greatest = try #require(sizes.max())
        #expect(greatest - least < 16 && greatest < 100)
    }

    @Test func aGetIsNoCallAtAllAlsoWhereAnotherProcessWrites() throws {
        let (disk, process, domain) = try store(keys: 100)
        defer { process.kill() }
        #expect(try domain.storedValue(for: "a") == 1)
        let alone = try process.calls { _ = try domain.storedValue(for: "a") }
        #expect(alone.isEmpty)
        let other = MemoryFileSystem(disk)
        defer { other.kill() }
        try other.domain().change(["a": 5])
        #expect(try domain.storedValue(for: "a") == 5)
        let calls = try process.calls {
            for _ in 0..<100 { _ = try domain.storedValue(for: "a") }
            _ = try domain.storedValues()
        }
        #expect(calls.isEmpty)
    }

    @Test func anEqualValueThatIsNotFlushedYetIsFlushedOnce() throws {
        let (_, process, domain) = try store(keys: 1)
        defer { process.kill() }
        try domain.change(["a": 7])
        let first = try process.calls { try domain.change(["a": 7], isFlushed: true) }
        #expect(names(first).filter { $0 == "synchronizeData" }.count == 1)
        #expect(!names(first).contains("write"))
        let second = try process.calls { try domain.change(["a": 7], isFlushed: true) }
        #expect(names(second) == Self.look)
        // Also where the value was stored by another process.
        try domain.change(["a": 8])
        let other = MemoryFileSystem(process.disk)
        defer { other.kill() }
        let heir = try other.domain()
        let third = try other.calls { try heir.change(["a": 8], isFlushed: true) }
        #expect(names(third).filter { $0 == "synchronizeData" }.count == 1)
    }

    @Test func anEqualValueThatOnlyTheImageHoldsIsFlushedWithIt() throws {
        let disk = MemoryDisk()
        try disk.save("{\"a\": 1}", at: Self.path)
        let process = MemoryFileSystem(disk)
        try process.domain().change(["a": 1], isFlushed: true)
        process.kill()
        var generator = SeededGenerator(seed: 4)
        for state in disk.snapshot().afterPowerLoss(limit: 100, using: &generator) {
            let heir = MemoryFileSystem(MemoryDisk(state))
            defer { heir.kill() }
            #expect(try heir.domain().storedValues() == ["a": 1])
        }
    }

    @Test func theFirstFlushedCommitWaitsForTheNamesOfItsFiles() throws {
        let process = MemoryFileSystem(MemoryDisk())
        defer { process.kill() }
        let domain = try process.domain(at: "/a/b/settings.json")
        let calls = names(try process.calls { try domain.change(["a": 1], isFlushed: true) })
        let renamed = try #require(calls.lastIndex(of: "rename"))
        #expect(calls[..<renamed].contains("synchronize"))
        #expect(calls[renamed...].filter { $0 == "synchronize" }.count == 1)
        #expect(!calls.contains("synchronizeData"))
    }

    @Test(.timeLimit(.minutes(10)))
    func tenFlushedCommitsAtOnceShareTheirFlushes() throws {
        let (_, process, domain) = try store(keys: 1)
        defer { process.kill() }
        let before = process.calls.count
        let writes = Mutex(0)
        let allWritten = DispatchSemaphore(value: 0)
        process.beforeEachCall { name in
            if name == "write",
                writes.withLock({
                    $0 += 1; return $0 == 10
                })
            {
                allWritten.signal()
            }
            // The first flush takes until the others have appended.
            if name == "synchronizeData" {
                allWritten.wait()
                allWritten.signal()
            }
        }
        let failures = Mutex(0)
        let group = DispatchGroup()
        for number in 0..<10 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try domain.change(["key\(number)": 1], isFlushed: true)
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == 0)
        let calls = names(Array(process.calls[before...]))
        #expect(calls.filter { $0 == "write" }.count == 10)
        #expect((1...3).contains(calls.filter { $0 == "synchronizeData" }.count))
    }

    @Test func aFlushCountsAlsoInAHistoryWithLowerNumbers() throws {
        let (disk, process, domain) = try store(keys: 1)
        defer { process.kill() }
        for number: Int64 in 2..<20 {
            try domain.change(["a": .integer(number)], isFlushed: true)
        }
        // Another process finds the files gone and begins anew.
        disk.state.withLock { state in
            for path in [Self.path, Self.path + ".journal"] {
                #expect(throws: Never.self) { try state.remove(path) }
            }
        }
        let other = MemoryFileSystem(disk)
        defer { other.kill() }
        try other.domain().change(["b": 1])
        let calls = try process.calls { try domain.change(["c": 1], isFlushed: true) }
        #expect(names(calls).contains("synchronizeData"))
        #expect(try domain.storedValues() == ["b": 1, "c": 1])
    }

    @Test(arguments: [EBUSY, ENOSPC, EACCES])
    func aPublicationThatKeepsFailingCostsTheCommitsNothing(_ error: Int32) throws {
        let (disk, process, domain) = try store(keys: 10)
        defer { process.kill() }
        // ENOSPC: nothing new can be written; else: the image cannot be replaced.
        process.failAlways(error == ENOSPC ? "synchronize" : "exchange", error)
        let count = 4000
        let errors = Errors()
        let before = process.calls.count
        try KVStoreError.withHandler(errors.append) {
            for number in 0..<count { try domain.change(["a": .integer(Int64(number + 10))]) }
        }
        #expect(process.calls.count - before < count * 5 + 400)
        #expect(errors.all.count <= 1)
        #expect(try domain.storedValue(for: "a") == .integer(Int64(count + 9)))
        // The journal is made smaller all the same where that can be.
        let journal = try #require(disk.contents[Self.path + ".journal"])
        if error != ENOSPC { #expect(journal.count < 6 * 64 << 10) }
    }

    @Test func aBadEditIsKeptByteForByteWhileTheJournalStaysSmall() throws {
        let (disk, process, domain) = try store(keys: 10)
        let bad = "{\"a\": 5,, oops"
        try disk.save(bad, at: Self.path)
        let count = 20_000
        try KVStoreError.withHandler({ _ in }) {
            for number in 0..<count { try domain.change(["a": .integer(Int64(number))]) }
            #expect(disk.contents[Self.path] == Array(bad.utf8))
            let journal = try #require(disk.contents[Self.path + ".journal"])
            #expect(journal.count < 6 * 64 << 10)
            let state = try domain.storedValues()
            process.kill()
            let heir = MemoryFileSystem(disk)
            defer { heir.kill() }
            #expect(throws: KVStoreError.self) { try heir.domain() }
            let other = JSONFileDomain(JSONFileEngine(path: Self.path, on: heir))
            try other.file.load(quarantining: true)
            #expect(try other.storedValues() == state)
            let aside = disk.contents.filter { $0.key.hasPrefix(Self.path + ".corrupt-") }
            #expect(Array(aside.values) == [Array(bad.utf8)])
        }
    }

    @Test func anImageThatCannotBeReadForAMomentIsReadWithTheNextCommit() throws {
        let disk = try MemoryDisk(files: [Self.path: Array("{\"a\": 1}".utf8)])
        let process = MemoryFileSystem(disk)
        defer { process.kill() }
        let domain = JSONFileDomain(JSONFileEngine(path: Self.path, on: process))
        process.fail(after: 3, EMFILE)
        var failures = 0
        for _ in 0..<3 {
            do {
                try domain.file.load(quarantining: false)
                break
            } catch let error as KVStoreError {
                #expect(error.code == .unreadable)
                failures += 1
            }
        }
        #expect(failures == 1)
        #expect(try domain.storedValues() == ["a": 1])
    }

    @Test func newFilesThatAnotherProcessCleansUpAreWrittenAgain() throws {
        for number in 0..<6 {
            let (disk, process, domain) = try store(keys: 3)
            defer { process.kill() }
            try domain.change(["a": 2])
            let calls = Atomic<Int>(0)
            process.beforeEachCall { name in
                // Cleaning needs the lock, which nobody has while the files are written.
                guard name == "flock", calls.add(1, ordering: .relaxed).oldValue == number else {
                    return
                }
                let other = MemoryFileSystem(disk)
                JSONFileEngine(path: Self.path, on: other).removeLeftovers(
                    isDisplaced: false,
                    isKnown: { _ in false },
                    report: { _ in }
                )
                other.kill()
            }
            try domain.flush()
            let text = disk.contents[Self.path] ?? []
            #expect(try JSONText.values(from: text)["a"] == 2)
        }
    }
}
