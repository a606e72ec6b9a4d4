extension JSONScanner {
    /// Scans a number: an integer, or a real where it has a fraction or an exponent.
    ///
    /// The grammar is checked before the standard library parses anything, since `Double(_:)` also
    /// takes hexadecimal, "nan" and "+1".
    mutating func scanNumber(_ text: Span<UInt8>) throws(Failure) -> PropertyListValue {
        let start = offset
        var digits = Digits()
        let isNegative = peek(text) == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        if peek(text) == UInt8(ascii: "0") {
            offset += 1
        } else {
            try scanDigits(text, into: &digits)
        }
        var isInteger = true
        if peek(text) == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            let fraction = offset
            try scanDigits(text, into: &digits)
            digits.exponent -= offset - fraction
        }
        if peek(text) | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            offset += 1
            digits.exponent += try scanExponent(text)
        }
        if isInteger, let integer = digits.integer(isNegative: isNegative) { return integer }
        if let magnitude = digits.exactReal { return .real(isNegative ? -magnitude : magnitude) }
        return .real(try real(text, start..<offset))
    }

    private mutating func scanDigits(
        _ text: Span<UInt8>,
        into digits: inout Digits
    ) throws(Failure) {
        let start = offset
        while offset < text.count {
            let digit = text[offset] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            digits.append(digit)
            offset += 1
        }
        guard offset > start else { throw fail("a digit") }
    }

    private mutating func scanExponent(_ text: Span<UInt8>) throws(Failure) -> Int {
        let sign = peek(text)
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { offset += 1 }
        var digits = Digits()
        try scanDigits(text, into: &digits)
        // Far beyond every Double, and far from overflow when the fraction's length is added.
        let exponent = digits.isExact ? Int(min(digits.value, 1_000_000_000)) : 1_000_000_000
        return sign == UInt8(ascii: "-") ? -exponent : exponent
    }

    private func real(_ text: Span<UInt8>, _ range: Range<Int>) throws(Failure) -> Double {
        let literal = text.extracting(range)
        // Sound: the buffer is the span's own memory, initialized, and does not leave the closure.
        let string = unsafe literal.withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        guard let value = Double(string), value.isFinite else {
            throw Failure(offset: range.lowerBound, expected: "a number that a Double can hold")
        }
        return value
    }
}

/// The digits of a number, as long as they fit 64 bits.
private struct Digits {
    var value: UInt64 = 0
    var exponent = 0
    var isExact = true

    @inline(__always)
    mutating func append(_ digit: UInt8) {
        let (product, isProductTooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, isSumTooLarge) = product.addingReportingOverflow(UInt64(digit))
        value = sum
        if isProductTooLarge || isSumTooLarge { isExact = false }
    }

    /// The stored form of an integer literal; nil where it is a real.
    func integer(isNegative: Bool) -> PropertyListValue? {
        guard isExact else { return nil }
        if !isNegative {
            return Int64(exactly: value).map { .integer($0) } ?? .unsignedInteger(value)
        }
        // A literal -0 is a real: no integer keeps the sign.
        guard value > 0, value <= Int64.min.magnitude else { return nil }
        return .integer(Int64(truncatingIfNeeded: 0 &- value))
    }

    /// The number where one division or multiplication of exact Doubles rounds it correctly.
    var exactReal: Double? {
        guard isExact, value <= 1 << 53, exponent.magnitude < Self.powersOfTen.count else {
            return nil
        }
        let power = Self.powersOfTen[Int(exponent.magnitude)]
        return exponent < 0 ? Double(value) / power : Double(value) * power
    }

    /// The powers of ten that a Double holds exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
