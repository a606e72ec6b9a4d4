extension JSONScanner {
    /// Scans a string, from its opening to its closing quote.
    ///
    /// Sets ``isPlainASCII`` to whether the string is ASCII that stands in the text as it is.
    mutating func scanString(_ text: Span<UInt8>) throws(Failure) -> String {
        let start = offset + 1
        var end = Self.endOfPlainASCII(text, from: start)
        isPlainASCII = end < text.count && text[end] == UInt8(ascii: "\"")
        if isPlainASCII {
            offset = end + 1
            return Self.asciiString(text.extracting(start..<end))
        }
        while end < text.count, Self.isPlain(text[end]) { end += 1 }
        if end < text.count, text[end] == UInt8(ascii: "\"") {
            guard let string = Self.string(text.extracting(start..<end)) else {
                throw invalidUTF8(text, start..<end)
            }
            offset = end + 1
            return string
        }
        return try scanEscapedString(text, start: start, firstEscape: end)
    }

    /// The first offset whose byte is not ASCII, ends the string, or needs an escape.
    @inline(__always)
    private static func endOfPlainASCII(_ text: Span<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        // Sound: bytes have no padding, so all of the raw memory is initialized.
        let bytes = unsafe text.bytes
        var index = start
        while index <= bytes.byteCount - 8 {
            // Sound: the eight bytes lie inside the span, and any bits are a UInt64.
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // Subtracting sets the high bit of each byte below the number subtracted. A borrow may
            // mark the byte after it too, but only where one was marked already.
            let special =
                (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word
            guard special & highBits == 0 else { break }
            index += 8
        }
        while index < text.count, isPlain(text[index]), text[index] < 0x80 { index += 1 }
        return index
    }

    /// Whether a byte stands for itself in a string and does not end it.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte >= 0x20
    }

    private static func asciiString(_ bytes: Span<UInt8>) -> String {
        // Sound: the buffer is the span's own memory, initialized, and does not leave the closure.
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
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
        // Whole blocks first: one scalar at a time would take seconds for a hostile long string.
        while range.upperBound - index > 4096 {
            var end = index + 4096
            while end > index + 4092, text[end] & 0xC0 == 0x80 { end -= 1 }
            guard Self.string(text.extracting(index..<end)) != nil else { break }
            index = end
        }
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
