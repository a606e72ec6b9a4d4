/// Turns dates into ISO 8601 text and back without changing a bit.
///
/// A date is its seconds since 2001-01-01T00:00:00Z. All arithmetic is on whole numbers and decimal
/// digits, in the proleptic Gregorian calendar. Foundation's formatter cuts to milliseconds and uses
/// the Julian calendar before 1582, and going through 1970 alters more than a third of all dates.
package enum DateText {
    /// Returns the text of a date.
    ///
    /// - Parameter seconds: Seconds since 2001.
    /// - Returns: Text in UTC with the fewest fractional digits that give the same date back; nil
    ///   outside the years 1 to 9999, where it would need more than 9 digits, and for what is not
    ///   finite.
    package static func text(of seconds: Double) -> String? {
        guard years.contains(seconds) else { return nil }
        let whole = Int64(seconds.rounded(.down))
        guard seconds != seconds.rounded(.down) else { return text(of: whole, fraction: nil) }
        guard var fraction = Fraction(of: seconds) else { return nil }
        if seconds < 0 { fraction.complement() }
        return text(of: whole, fraction: fraction)
    }

    /// Returns the seconds since 2001 of a text.
    ///
    /// - Parameter text: `YYYY-MM-DD'T'HH:MM:SS`, an optional fraction of any length, and `Z` or an
    ///   offset `±HH:MM`. Days exist in their month; hours end at 23, minutes and seconds at 59.
    /// - Returns: The nearest `Double`; nil for any other text.
    package static func seconds(of text: String) -> Double? {
        var parser = DateParser(text: text)
        return parser.parse()
    }

    /// Returns whether a date is a whole second in the years 1 to 9999.
    static func isWholeSecond(_ seconds: Double) -> Bool {
        years.contains(seconds) && seconds == seconds.rounded(.down)
    }

    /// The years 1 to 9999.
    private static let years = -63_113_904_000.0..<252_423_993_600.0

    private static func text(of whole: Int64, fraction: Fraction?) -> String {
        var (days, second) = whole.quotientAndRemainder(dividingBy: 86_400)
        if second < 0 {
            second += 86_400
            days -= 1
        }
        let (year, month, day) = CalendarDay.date(ofDay: days)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        append(year, width: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(month, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(day, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        append(second / 3600, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second / 60 % 60, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second % 60, width: 2, to: &bytes)
        if let fraction {
            bytes.append(UInt8(ascii: "."))
            append(fraction.digits, width: fraction.count, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ number: Int64, width: Int, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: width))
        var rest = number
        for index in stride(from: start + width - 1, through: start, by: -1) {
            bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

/// The digits after the point of the shortest decimal that is a number.
private struct Fraction {
    var digits: Int64
    var count: Int

    /// Takes the digits from the number's description; nil for more than 9 digits.
    init?(of seconds: Double) {
        var value: UInt64 = 0
        var digitsAfterPoint = 0
        var exponent = 0
        var isAfterPoint = false
        var iterator = seconds.magnitude.description.utf8.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
                if isAfterPoint { digitsAfterPoint += 1 }
            case UInt8(ascii: "."): isAfterPoint = true
            default:
                // What is left is a negative exponent, such as the "-05" of 1e-05.
                while let byte = iterator.next() {
                    guard byte != UInt8(ascii: "-") else { continue }
                    exponent = exponent * 10 + Int(byte &- UInt8(ascii: "0"))
                }
            }
        }
        count = digitsAfterPoint + exponent
        guard count > 0, count <= 9 else { return nil }
        digits = Int64(truncatingIfNeeded: value % Self.power(count))
    }

    /// Makes the fraction below a negative number the one above its floor.
    mutating func complement() {
        digits = Int64(Self.power(count)) - digits
    }

    private static func power(_ exponent: Int) -> UInt64 {
        var power: UInt64 = 1
        for _ in 0..<exponent { power *= 10 }
        return power
    }
}
