#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PropertyListValue {
    /// The decimal number that a string, a number or Foundation's keyed form stands for.
    var asDecimal: Decimal? {
        switch self {
        case .string: text.flatMap { Decimal(exactly: $0) }
        case .integer, .unsignedInteger, .real: numberText.flatMap { Decimal(exactly: $0) }
        case .dictionary(let parts): Decimal(parts: parts)
        default: nil
        }
    }
}

extension Decimal {
    /// Creates the number that a text spells, or NaN; nil if it is no number or has more digits
    /// or a greater exponent than a decimal holds.
    ///
    /// `Decimal(string:)` alone would read the beginning of any text and round silently.
    fileprivate init?(exactly text: String) {
        if text.utf8Equals("NaN") {
            self = .nan
            return
        }
        guard let wanted = DecimalDigits(text), let value = Decimal(string: text), !value.isNaN,
            DecimalDigits(value.description) == wanted
        else { return nil }
        self = value
    }

    /// Creates the number from the form in which Foundation's coders write it.
    fileprivate init?(parts: [String: PropertyListValue]) {
        guard let exponent = parts["exponent"]?.asInteger(Int8.self),
            let length = parts["length"]?.asInteger(Int.self), (0...8).contains(length),
            let isNegative = parts["isNegative"]?.asBool,
            case .array(let words)? = parts["mantissa"], words.count == 8
        else { return nil }
        if length == 0 {
            self = isNegative ? .nan : 0
            return
        }
        var mantissa: UInt128 = 0
        for word in words.prefix(length).reversed() {
            guard let word = word.asInteger(UInt16.self) else { return nil }
            mantissa = mantissa << 16 | UInt128(word)
        }
        self.init(exactly: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)")
    }
}

/// The digits of a decimal number's text, comparable whatever the spelling.
private struct DecimalDigits: Equatable {
    /// Without zeros at either end; empty for zero.
    private var digits: [UInt8] = []
    private var isNegative = false
    /// The power of ten of the last digit.
    private var exponent = 0

    /// Reads `-?d+(.d+)?([eE][+-]?d+)?`, and nothing else.
    init?(_ text: String) {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest = rest.dropFirst()
        }
        guard let whole = Self.digits(&rest) else { return nil }
        digits = whole
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard let fraction = Self.digits(&rest) else { return nil }
            digits += fraction
            exponent = -fraction.count
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            var sign = 1
            if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
                sign = first == UInt8(ascii: "-") ? -1 : 1
                rest = rest.dropFirst()
            }
            guard let power = Self.digits(&rest) else { return nil }
            // Saturates: such an exponent is out of every decimal's range.
            let magnitude = power.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 30) }
            exponent += sign * magnitude
        }
        guard rest.isEmpty else { return nil }
        normalise()
    }

    private mutating func normalise() {
        let zero = UInt8(ascii: "0")
        while digits.last == zero {
            digits.removeLast()
            exponent += 1
        }
        digits.removeFirst(digits.prefix { $0 == zero }.count)
        guard digits.isEmpty else { return }
        exponent = 0
        isNegative = false
    }

    private static func digits(_ rest: inout Substring.UTF8View) -> [UInt8]? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        return Array(digits)
    }
}
