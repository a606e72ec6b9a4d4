import KVStore
import Testing

@Suite("PublicationLog")
struct PublicationLogTests {
    /// Returns the part of a lock file that the log is in after some commits.
    private func bytes(after numbers: ClosedRange<UInt64>) -> [UInt8] {
        var bytes = [UInt8](
            repeating: 0,
            count: PublicationLog.capacity * PublicationLog.entryLength
        )
        for number in numbers {
            let entry = PublicationLog.Entry(
                number: number,
                digest: ContentDigest(bits: number * 7)
            )
            let start = entry.offset - PublicationLog.offset
            bytes.replaceSubrange(start..<start + entry.line.count, with: entry.line)
        }
        return bytes
    }

    @Test func theLastCommitsAreKnownAndTheirOrder() throws {
        let log = PublicationLog(bytes(after: 1...100))
        #expect(log.entries.count == PublicationLog.capacity)
        #expect(log.nextNumber == 101)
        #expect(log.entry(with: ContentDigest(bits: 36 * 7)) == nil)
        let entry = try #require(log.entry(with: ContentDigest(bits: 37 * 7)))
        #expect(entry.number == 37)
        #expect(!log.isNext(entry, after: ContentDigest(bits: 36 * 7)))
        let last = try #require(log.entry(with: ContentDigest(bits: 700)))
        #expect(log.isNext(last, after: ContentDigest(bits: 99 * 7)))
        #expect(!log.isNext(last, after: ContentDigest(bits: 98 * 7)))
    }

    @Test func whatIsNoLogIsEmpty() {
        for bytes in [[], [UInt8](repeating: 0, count: 5000), Array("x y\n".utf8)] {
            let log = PublicationLog(bytes)
            #expect(log.entries.isEmpty)
            #expect(log.nextNumber == 1)
        }
    }

    @Test func aDigestTellsOrderLengthAndSeedApart() {
        var digests: Set<ContentDigest> = []
        for length in 0..<40 {
            digests.insert(ContentDigest(of: [UInt8](repeating: 0, count: length)))
        }
        digests.insert(ContentDigest(of: [1, 2]))
        digests.insert(ContentDigest(of: [2, 1]))
        let seeded: [UInt8] = [1, 2]
        digests.insert(ContentDigest(of: seeded.span, seed: 1))
        #expect(digests.count == 43)
    }
}
