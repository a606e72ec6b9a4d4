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
        let table = ByteTable(keys)
        let order = keys.indices.sorted { table.precedes($0, $1) }
        return (order.map { keys[$0] }, order.map { values[$0] })
    }
}

/// The bytes of many strings, eight to a number, so that numbers order as the bytes do.
private struct ByteTable {
    private struct Entry {
        var first: UInt64
        var start: Int
        var end: Int
        var length: Int
    }

    private var words: [UInt64] = []
    private var entries: [Entry] = []

    init(_ strings: [String]) {
        words.reserveCapacity(strings.count * 3)
        entries.reserveCapacity(strings.count)
        for string in strings {
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
            entries.append(
                Entry(
                    first: count > 0 ? words[start] : 0,
                    start: start,
                    end: words.count,
                    length: count
                )
            )
        }
    }

    func precedes(_ lhs: Int, _ rhs: Int) -> Bool {
        let left = entries[lhs]
        let right = entries[rhs]
        if left.first != right.first { return left.first < right.first }
        var leftIndex = left.start
        var rightIndex = right.start
        while leftIndex < left.end, rightIndex < right.end {
            if words[leftIndex] != words[rightIndex] { return words[leftIndex] < words[rightIndex] }
            leftIndex += 1
            rightIndex += 1
        }
        return left.length < right.length
    }
}
