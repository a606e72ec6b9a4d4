/// The order of keys in everything that is written: by their UTF-8 bytes.
///
/// It is the order of Python, jq and `LC_ALL=C sort`, and the same in every process. `<` on strings
/// compares normalized characters.
enum UTF8Order {
    /// Returns the keys of a dictionary in order, and their values.
    static func sorted(
        _ dictionary: [String: PropertyListValue]
    ) -> (keys: [String], values: [PropertyListValue]) {
        guard dictionary.count > 1 else {
            return (Array(dictionary.keys), Array(dictionary.values))
        }
        let keys = Array(dictionary.keys)
        let values = Array(dictionary.values)
        let order = ByteTable(keys).order()
        return (order.map { keys[$0.index] }, order.map { values[$0.index] })
    }
}

/// The bytes of many strings, eight to a number, so that numbers order as the bytes do.
private struct ByteTable {
    struct Entry {
        /// The first two numbers in which the strings differ, which decide most comparisons.
        var first: UInt64 = 0
        var second: UInt64 = 0
        /// Where the string's numbers begin.
        var start: Int
        /// The number of bytes.
        var length: Int
        /// Which string it is.
        var index: Int
    }

    private var words: [UInt64] = []
    private var entries: [Entry] = []

    init(_ strings: [String]) {
        words.reserveCapacity(strings.count * 3)
        entries.reserveCapacity(strings.count)
        for (index, string) in strings.enumerated() {
            let start = words.count
            var word: UInt64 = 0
            var count = 0
            for byte in string.utf8 {
                word = word << 8 | UInt64(byte)
                count += 1
                if count & 7 == 0 { words.append(word) }
            }
            // Zeros fill the last number; the length decides between "a" and "a\u{0}".
            if count & 7 != 0 { words.append(word << UInt64(64 - 8 * (count & 7))) }
            entries.append(Entry(start: start, length: count, index: index))
        }
    }

    /// The strings in order.
    consuming func order() -> [Entry] {
        let words = words
        let shared = sharedWordCount()
        for index in entries.indices {
            let count = Self.wordCount(entries[index]) - shared
            let start = entries[index].start + shared
            if count > 0 { entries[index].first = words[start] }
            if count > 1 { entries[index].second = words[start + 1] }
        }
        entries.sort { lhs, rhs in
            if lhs.first != rhs.first { return lhs.first < rhs.first }
            if lhs.second != rhs.second { return lhs.second < rhs.second }
            var offset = shared + 2
            let end = min(Self.wordCount(lhs), Self.wordCount(rhs))
            while offset < end {
                let left = words[lhs.start + offset]
                let right = words[rhs.start + offset]
                if left != right { return left < right }
                offset += 1
            }
            return lhs.length < rhs.length
        }
        return entries
    }

    private static func wordCount(_ entry: Entry) -> Int {
        (entry.length + 7) / 8
    }

    /// The count of numbers at the beginning that all strings share, as "settings." would be.
    private func sharedWordCount() -> Int {
        guard let model = entries.first else { return 0 }
        var shared = model.length / 8
        for entry in entries {
            shared = min(shared, entry.length / 8)
            var count = 0
            while count < shared, words[entry.start + count] == words[model.start + count] {
                count += 1
            }
            shared = count
        }
        return shared
    }
}
