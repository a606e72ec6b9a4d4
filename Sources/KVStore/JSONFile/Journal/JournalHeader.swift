/// The first line of a journal: which journal it is and what it is built on.
///
///     KVJ1 <check> {"epoch":"<16 digits>","lineage":"<16 digits>","seq":412,"base":"<digest>"}
///
/// A journal is replaced as a whole, never shortened, and each replacement is an *epoch* of its own.
/// The *lineage* and the sequence numbers go on from one epoch to the next, so that a reader who
/// has followed the old one knows which records of the new one it has seen.
package struct JournalHeader: Hashable, Sendable {
    /// The version of the format that is written and read.
    package static let version = 1

    /// What every journal begins with; its version follows.
    package static let mark = "KVJ"

    /// A random number for this journal.
    package let epoch: UInt64
    /// A random number for the history that the journal continues.
    package let lineage: UInt64
    /// The sequence number of the last commit that the base holds.
    package let sequence: UInt64
    /// The digest of the image that the base is a copy of, or nil if there was no image.
    package let base: ContentDigest?

    package init(
        epoch: UInt64 = .random(in: 1 ... .max),
        lineage: UInt64,
        sequence: UInt64,
        base: ContentDigest?
    ) {
        self.epoch = epoch
        self.lineage = lineage
        self.sequence = sequence
        self.base = base
    }

    /// The header and the base as the first two lines of a journal.
    ///
    /// - Parameter values: What the image holds that the base is a copy of.
    /// - Returns: The text, and the check that the first record continues.
    func text(
        base values: [String: PropertyListValue]
    ) -> (writer: JSONWriter, chain: ContentDigest) {
        var writer = JSONWriter(isIndented: false, capacity: 256 + values.count * 48)
        writer.write(literal: "\(Self.mark)\(Self.version) ")
        var chain = JournalLine.append(after: JournalLine.start, to: &writer) {
            $0.write(
                literal: """
                    {"epoch":"\(epoch.hexadecimal)","lineage":"\(lineage.hexadecimal)",\
                    "seq":\(sequence),"base":"\(base.digestText)"}
                    """
            )
        }
        chain = JournalLine.append(after: chain, to: &writer) { $0.write(.dictionary(values)) }
        return (writer, chain)
    }

    /// Reads the fields of a header whose check is right.
    init?(fields: PropertyListValue) {
        guard case .dictionary(let fields) = fields,
            let epoch = UInt64(hexadecimal: fields["epoch"]),
            let lineage = UInt64(hexadecimal: fields["lineage"]),
            case .integer(let sequence) = fields["seq"], sequence >= 0,
            let base = ContentDigest.read(fields["base"])
        else { return nil }
        self.init(epoch: epoch, lineage: lineage, sequence: UInt64(sequence), base: base)
    }
}

/// The lines of a journal: a check, a space, JSON on one line, and a newline.
///
/// The check is a digest of the JSON that starts from the check before, so a line that is torn, of
/// another journal, out of its order or altered is told by it.
enum JournalLine {
    /// What the check of the first line starts from.
    static let start = ContentDigest(bits: 0x4B56_4A31)

    /// The number of bytes before the JSON.
    static let prefixLength = 17

    /// Appends a line and returns its check.
    static func append(
        after chain: ContentDigest,
        to writer: inout JSONWriter,
        _ json: (inout JSONWriter) -> Void
    ) -> ContentDigest {
        let start = writer.bytes.count
        for _ in 0..<prefixLength { writer.bytes.append(0x20) }
        json(&writer)
        let check = check(of: writer.bytes, from: start + prefixLength, after: chain)
        var bits = check.bits
        for index in (start..<start + 16).reversed() {
            let digit = UInt8(truncatingIfNeeded: bits & 0xF)
            writer.bytes[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
            bits >>= 4
        }
        writer.bytes.append(0x0A)
        return check
    }

    private static func check(
        of bytes: [UInt8],
        from start: Int,
        after chain: ContentDigest
    ) -> ContentDigest {
        ContentDigest(of: bytes.span.extracting(start...), seed: chain.bits)
    }

    /// Appends the line of a record and returns its check.
    static func append(
        _ record: JournalRecord,
        after chain: ContentDigest,
        to writer: inout JSONWriter
    ) -> ContentDigest {
        append(after: chain, to: &writer) { record.write(to: &$0) }
    }

    /// Returns the check at the beginning of a line, or nil if there is none.
    static func check(of line: ArraySlice<UInt8>) -> ContentDigest? {
        guard line.count >= prefixLength, line[line.startIndex + 16] == 0x20 else { return nil }
        return UInt64(hexadecimal: line.prefix(16)).map(ContentDigest.init(bits:))
    }

    /// Returns the JSON of a line without its newline and its check, or nil if the check is wrong.
    static func json(
        of line: ArraySlice<UInt8>,
        after chain: ContentDigest
    ) -> (json: [UInt8], check: ContentDigest)? {
        guard let check = check(of: line) else { return nil }
        let json = Array(line.dropFirst(prefixLength))
        guard ContentDigest(of: json.span, seed: chain.bits) == check else { return nil }
        return (json, check)
    }
}

extension ContentDigest? {
    /// The digest as it stands in a journal, where an image that is not there is `none`.
    var digestText: String { map { "\($0)" } ?? "none" }
}

extension ContentDigest {
    /// Reads a digest that may be `none`; nil if it is neither.
    static func read(_ value: PropertyListValue?) -> ContentDigest?? {
        if value == "none" { return .some(nil) }
        return UInt64(hexadecimal: value).map { ContentDigest(bits: $0) }
    }
}

extension UInt64 {
    /// Reads a string of sixteen hexadecimal digits.
    init?(hexadecimal value: PropertyListValue?) {
        guard case .string(let text) = value else { return nil }
        self.init(hexadecimal: Array(text.utf8)[...])
    }

    /// Reads sixteen hexadecimal digits in lower case.
    init?(hexadecimal digits: ArraySlice<UInt8>) {
        guard digits.count == 16 else { return nil }
        var result: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: result = result << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: result = result << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        self = result
    }

}
