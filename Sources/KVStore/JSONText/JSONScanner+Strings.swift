extension JSONScanner {
    /// Scans a string, from its opening to its closing quote.
    mutating func scanString(_ text: Span<UInt8>) throws(Failure) -> String {
        let start = offset + 1
        var index = start
        while index < text.count, Self.isPlain(text[index]) { index += 1 }
        if index < text.count, text[index] == UInt8(ascii: "\"") {
            guard let string = Self.string(text.extracting(start..<index)) else {
                throw invalidUTF8(text, start..<index)
            }
            offset = index + 1
            return string
        }
        return try scanEscapedString(text, start: start, firstEscape: index)
    }

    /// Whether a byte stands for itself in a string and does not end it.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte >= 0x20
    }

    private static func string(_ bytes: Span<UInt8>) -> String? {
        // Sound: the buffer is the span's own memory, initialized, and does not leave the closure.
        unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }

    private mutating func scanEscapedString(
        _ text: Span<UInt8>,
        start: Int,
        firstEscape: Int
    ) throws(Failure) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(firstEscape - start + 32)
        for index in start..<firstEscape { bytes.append(text[index]) }
        offset = firstEscape
        while true {
            guard offset < text.count else { throw fail("the closing quote of a string") }
            let byte = text[offset]
            if Self.isPlain(byte) {
                bytes.append(byte)
                offset += 1
            } else if byte == UInt8(ascii: "\\") {
                try scanEscape(text, into: &bytes)
            } else if byte == UInt8(ascii: "\"") {
                break
            } else {
                throw fail("an escape in place of a control character")
            }
        }
        // No escape makes a continuation byte, so it cannot complete a broken sequence.
        guard let string = Self.string(bytes.span) else {
            throw invalidUTF8(text, start..<offset)
        }
        offset += 1
        return string
    }

    private mutating func scanEscape(
        _ text: Span<UInt8>,
        into bytes: inout [UInt8]
    ) throws(Failure) {
        let start = offset
        offset += 1
        let byte = peek(text)
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "u"):
            let scalar = try scanScalar(text, start: start)
            bytes.append(contentsOf: String(Character(scalar)).utf8)
        default:
            throw Failure(offset: start, expected: "an escape that JSON has")
        }
    }

    /// Scans the digits after `\u`, and a second escape where the first is half a pair.
    private mutating func scanScalar(
        _ text: Span<UInt8>,
        start: Int
    ) throws(Failure) -> Unicode.Scalar {
        let unit = try scanHexDigits(text)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if unit < 0xDC00, peek(text) == UInt8(ascii: "\\") {
            offset += 1
            if peek(text) == UInt8(ascii: "u") {
                offset += 1
                let low = try scanHexDigits(text)
                if low >= 0xDC00, low < 0xE000,
                    let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
                {
                    return scalar
                }
            }
        }
        throw Failure(offset: start, expected: "both halves of a surrogate pair")
    }

    private mutating func scanHexDigits(_ text: Span<UInt8>) throws(Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = MediumTagging.hexDigit(peek(text)) else {
                throw fail("four hexadecimal digits")
            }
            unit = unit << 4 | digit
            offset += 1
        }
        return unit
    }

    /// Finds the first byte in a range that does not continue valid UTF-8.
    private func invalidUTF8(_ text: Span<UInt8>, _ range: Range<Int>) -> Failure {
        var index = range.lowerBound
        while index < range.upperBound {
            let length =
                switch text[index] {
                case 0xF0...: 4
                case 0xE0...: 3
                case 0x80...: 2
                default: 1
                }
            let end = min(index + length, range.upperBound)
            guard Self.string(text.extracting(index..<end)) != nil else { break }
            index = end
        }
        return Failure(offset: index, expected: "valid UTF-8")
    }
}
