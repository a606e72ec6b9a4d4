/// Scans UTF-8 JSON text straight into a tree.
///
/// Open containers live on a stack of frames, not on the call stack, so the depth of the text costs
/// no recursion. Values and keys wait on stacks of their own until their container closes; arrays
/// and dictionaries are then made with their final size.
struct JSONScanner {
    /// A position and what was expected there.
    struct Failure: Error {
        var offset: Int
        var expected: String
    }

    /// What the root of the text is.
    enum Root {
        /// An object of top-level keys, which is never a tag.
        case keys
        /// One value of any kind.
        case value
    }

    private struct Frame {
        var firstValue: Int
        var firstKey: Int
        var isObject: Bool
        /// Whether the first value is a tag that is read when this container closes.
        var holdsUnreadTag = false
    }

    struct Key {
        var name: String
        var offset: Int
    }

    var offset = 0
    /// Whether the last string was ASCII without an escape.
    var isPlainASCII = false
    private var frames: [Frame] = []
    private var values: [PropertyListValue] = []
    private var keys: [Key] = []
    private var firstDeepOffset: Int?
    private let root: Root
    private let maximumDepth: Int

    init(root: Root, maximumDepth: Int, byteCount: Int) {
        self.root = root
        self.maximumDepth = maximumDepth
        frames.reserveCapacity(16)
        if root == .keys {
            // Lines of a file of preferences have 30 to 60 bytes; doubling makes up for the rest.
            values.reserveCapacity(byteCount / 48)
            keys.reserveCapacity(byteCount / 48)
        }
    }

    static let rootRule = "an object of keys and values, in UTF-8"

    static func hasByteOrderMark(_ text: Span<UInt8>) -> Bool {
        text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    }

    /// Scans a whole text.
    mutating func scan(_ text: Span<UInt8>) throws(Failure) -> PropertyListValue {
        if Self.hasByteOrderMark(text) { offset = 3 }
        skipSpace(text)
        if root == .keys, peek(text) != UInt8(ascii: "{") {
            throw fail(Self.rootRule)
        }
        repeat {
            try scanValue(text)
        } while try advance(text)
        skipSpace(text)
        guard offset == text.count, let value = values.popLast() else {
            throw fail("the end of the text")
        }
        if let firstDeepOffset, !hasLegalDepth(value) {
            throw Failure(offset: firstDeepOffset, expected: depthRule)
        }
        return value
    }

    /// Scans a scalar, or opens containers until one is empty or begins with a scalar.
    private mutating func scanValue(_ text: Span<UInt8>) throws(Failure) {
        while true {
            skipSpace(text)
            switch peek(text) {
            case UInt8(ascii: "\""):
                values.append(.string(try scanString(text)))
                return
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                values.append(try scanNumber(text))
                return
            case UInt8(ascii: "["):
                try open(isObject: false)
                skipSpace(text)
                if peek(text) == UInt8(ascii: "]") { return }
            case UInt8(ascii: "{"):
                try open(isObject: true)
                skipSpace(text)
                if peek(text) == UInt8(ascii: "}") { return }
                try scanKey(text)
            case UInt8(ascii: "t"):
                try scanWord("true", text)
                values.append(.bool(true))
                return
            case UInt8(ascii: "f"):
                try scanWord("false", text)
                values.append(.bool(false))
                return
            case UInt8(ascii: "n"):
                try scanWord("null", text)
                values.append(.null)
                return
            default:
                throw fail("a value")
            }
        }
    }

    /// Goes on after a value: closes what ends here and returns whether another value follows.
    private mutating func advance(_ text: Span<UInt8>) throws(Failure) -> Bool {
        while let isObject = frames.last?.isObject {
            skipSpace(text)
            switch (peek(text), isObject) {
            case (UInt8(ascii: ","), true):
                offset += 1
                skipSpace(text)
                try scanKey(text)
                return true
            case (UInt8(ascii: ","), false):
                offset += 1
                return true
            case (UInt8(ascii: "}"), true):
                offset += 1
                try closeObject(text)
            case (UInt8(ascii: "]"), false):
                offset += 1
                closeArray()
            default:
                throw fail(isObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
        }
        return false
    }

    private mutating func scanKey(_ text: Span<UInt8>) throws(Failure) {
        guard peek(text) == UInt8(ascii: "\"") else { throw fail("a key in double quotes") }
        let start = offset
        let name = try scanString(text)
        // Before anything hashes or compares the name: both are quadratic in combining marks.
        guard name.utf8.count <= KeyName.maximumLength else {
            throw Failure(
                offset: start,
                expected: "a key of at most \(KeyName.maximumLength) bytes"
            )
        }
        // The rule forbids nothing in ASCII but the empty name and what a text must escape.
        if frames.count == 1, root == .keys, name.isEmpty || !isPlainASCII, !KeyName.isValid(name) {
            throw Failure(
                offset: start,
                expected: "a key that is not empty, does not begin with U+FEFF and has no control "
                    + "characters"
            )
        }
        keys.append(Key(name: name, offset: start))
        skipSpace(text)
        guard peek(text) == UInt8(ascii: ":") else { throw fail("\":\"") }
        offset += 1
    }

    private mutating func scanWord(
        _ word: String,
        _ text: Span<UInt8>
    ) throws(Failure) {
        for byte in word.utf8 {
            guard peek(text) == byte else { throw fail(word) }
            offset += 1
        }
    }

    @inline(__always)
    mutating func skipSpace(_ text: Span<UInt8>) {
        while offset < text.count {
            let byte = text[offset]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    /// The byte at the offset; at the end of the text 0, which no rule of the grammar takes.
    @inline(__always)
    func peek(_ text: Span<UInt8>) -> UInt8 {
        offset < text.count ? text[offset] : 0
    }

    func fail(_ expected: String) -> Failure {
        Failure(offset: offset, expected: expected)
    }
}

extension JSONScanner {
    /// The deepest nesting of brackets in a text of legal depth.
    ///
    /// Escapes double each level, and a tagged scalar has brackets of its own.
    private var maximumTextDepth: Int { 2 * maximumDepth + (root == .keys ? 2 : 1) }

    private var depthRule: String { "at most \(maximumDepth) levels of nesting" }

    private mutating func open(isObject: Bool) throws(Failure) {
        let ownDepth = frames.count + (root == .keys ? 0 : 1)
        if ownDepth > maximumDepth, firstDeepOffset == nil { firstDeepOffset = offset }
        // Refused here and not after building: releasing a deep tree recurses.
        guard frames.count < maximumTextDepth else { throw fail(depthRule) }
        frames.append(
            Frame(firstValue: values.count, firstKey: keys.count, isObject: isObject)
        )
        offset += 1
    }

    private mutating func closeArray() {
        guard let frame = frames.popLast() else { return }
        let elements = Array(values[frame.firstValue...])
        values.removeSubrange(frame.firstValue...)
        values.append(.array(elements))
    }

    private mutating func closeObject(_ text: Span<UInt8>) throws(Failure) {
        guard let frame = frames.popLast() else { return }
        let count = keys.count - frame.firstKey
        let onlyKey = count == 1 ? keys.last : nil
        if count > 1, frame.holdsUnreadTag {
            try readTag(at: frame.firstValue, under: keys[frame.firstKey], text)
        }
        var dictionary: [String: PropertyListValue] = [:]
        dictionary.reserveCapacity(count)
        // Backwards, so that each value is moved off the stack and not copied.
        for index in stride(from: keys.count - 1, through: frame.firstKey, by: -1) {
            guard let value = values.popLast() else { break }
            if dictionary.updateValue(value, forKey: keys[index].name) != nil {
                throw duplicate(from: frame.firstKey)
            }
        }
        keys.removeSubrange(frame.firstKey...)
        values.append(.dictionary(dictionary))
        guard let onlyKey, MediumTagging.isTag(onlyKey.name), !(frames.isEmpty && root == .keys)
        else { return }
        if parentMayBeTag {
            // Whether this object is a tag or the literal payload of one depends on whether more
            // keys follow in the object around it.
            frames[frames.count - 1].holdsUnreadTag = true
        } else {
            try readTag(at: values.count - 1, under: onlyKey, text)
        }
    }

    /// Whether the value just closed is the first in an object whose key is the name of a tag.
    private var parentMayBeTag: Bool {
        guard let parent = frames.last, let key = keys.last else { return false }
        return parent.isObject && keys.count == parent.firstKey + 1
            && !(frames.count == 1 && root == .keys) && MediumTagging.isTag(key.name)
    }

    private mutating func readTag(
        at index: Int,
        under key: Key,
        _ text: Span<UInt8>
    ) throws(Failure) {
        guard let value = MediumTagging.valueOfScannedTag(values[index]) else {
            offset = key.offset
            _ = try scanString(text)
            skipSpace(text)
            offset += 1
            skipSpace(text)
            throw fail("a payload that the tag allows")
        }
        values[index] = value
    }

    private func hasLegalDepth(_ value: PropertyListValue) -> Bool {
        guard root == .keys, case .dictionary(let values) = value else {
            return value.isNested(within: maximumDepth)
        }
        return values.values.allSatisfy { $0.isNested(within: maximumDepth) }
    }

    /// Finds the first key of the innermost object that an earlier one equals.
    private func duplicate(from firstKey: Int) -> Failure {
        var names: Set<String> = []
        let second = keys[firstKey...].first { !names.insert($0.name).inserted }
        return Failure(
            offset: second?.offset ?? offset,
            expected: "a key that the object does not have already"
        )
    }
}
