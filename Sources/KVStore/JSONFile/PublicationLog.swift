/// Which files the last commits made, as the lock file keeps it.
///
/// A process that finds the file changed learns from it whether a store wrote it or a person, and
/// whether it missed commits in between. It is a hint that only the reports of changes rely on:
/// after a crash or if it cannot be read, a change counts as an edit of the file.
package struct PublicationLog: Hashable, Sendable {
    /// How many commits are kept.
    package static let capacity = 64

    /// Where the log begins in the lock file, after the notice to people.
    package static let offset = 128

    /// The length of an entry: number and digest in hexadecimal, a space and a newline.
    package static let entryLength = 34

    package struct Entry: Hashable, Sendable {
        package let number: UInt64
        package let digest: ContentDigest

        package init(number: UInt64, digest: ContentDigest) {
            self.number = number
            self.digest = digest
        }

        /// The entry as a line of text.
        package var line: [UInt8] {
            Array("\(number.hexadecimal) \(digest)\n".utf8)
        }

        /// Where the entry stands in the lock file; it displaces one that is ``capacity`` older.
        package var offset: Int {
            PublicationLog.offset + Int(number % UInt64(PublicationLog.capacity))
                * PublicationLog.entryLength
        }
    }

    /// The entries that are whole, in no particular order.
    package let entries: [Entry]

    /// Reads the bytes of a lock file from ``offset`` on.
    package init(_ bytes: [UInt8]) {
        var entries: [Entry] = []
        // By position: what was never written is a hole in the file.
        for start in stride(from: 0, to: bytes.count, by: Self.entryLength) {
            let line = bytes[start...].prefix(Self.entryLength - 1)
            let parts = line.split(separator: UInt8(ascii: " "))
            guard parts.map(\.count) == [16, 16],
                let number = UInt64(String(decoding: parts[0], as: UTF8.self), radix: 16),
                let digest = UInt64(String(decoding: parts[1], as: UTF8.self), radix: 16)
            else { continue }
            entries.append(Entry(number: number, digest: ContentDigest(bits: digest)))
        }
        self.entries = entries
    }

    /// The number that the next commit gets.
    package var nextNumber: UInt64 { (entries.map(\.number).max() ?? 0) &+ 1 }

    /// Returns the newest commit that made a file with this digest.
    package func entry(with digest: ContentDigest) -> Entry? {
        entries.filter { $0.digest == digest }.max { $0.number < $1.number }
    }

    /// Whether a commit follows at once on a file with the other digest.
    package func isNext(_ entry: Entry, after digest: ContentDigest) -> Bool {
        entries.contains { $0.number == entry.number &- 1 && $0.digest == digest }
    }
}
