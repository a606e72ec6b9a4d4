/// Reads the one grammar of dates.
struct DateParser {
    private let bytes: [UInt8]
    private var offset = 0

    init(text: String) {
        bytes = Array(text.utf8)
    }

    /// Reads the whole text.
    mutating func parse() -> Double? {
        guard let year = number(4), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...31), take("T"),
            let hour = number(2, 0...23), take(":"),
            let minute = number(2, 0...59), take(":"),
            let second = number(2, 0...59),
            day <= CalendarDay.count(inMonth: month, year: year)
        else { return nil }
        var fraction = offset..<offset
        if take(".") {
            let start = offset
            while let digit = peek(), Self.isDigit(digit) { offset += 1 }
            guard offset > start else { return nil }
            fraction = start..<offset
        }
        guard let zone = zone(), offset == bytes.count else { return nil }
        let seconds =
            CalendarDay.day(year: year, month: month, day: day) * 86_400
            + hour * 3600 + minute * 60 + second - zone
        return Self.seconds(seconds, fraction: bytes[fraction])
    }

    private mutating func zone() -> Int64? {
        if take("Z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hour = number(2, 0...23), take(":"), let minute = number(2, 0...59) else {
            return nil
        }
        return sign * (hour * 3600 + minute * 60)
    }

    private func peek() -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func number(_ width: Int, _ range: ClosedRange<Int64> = 0...9999) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<width {
            guard let byte = peek(), Self.isDigit(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            offset += 1
        }
        return range.contains(number) ? number : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// The number that is a whole one plus a fraction, rounded once.
    private static func seconds(_ whole: Int64, fraction: ArraySlice<UInt8>) -> Double {
        guard let last = fraction.lastIndex(where: { $0 != UInt8(ascii: "0") }) else {
            return Double(whole)
        }
        let digits = fraction[...last]
        return exactSeconds(whole, digits) ?? parsedSeconds(whole, digits)
    }

    /// The number where one division of exact Doubles rounds it correctly.
    private static func exactSeconds(_ whole: Int64, _ digits: ArraySlice<UInt8>) -> Double? {
        guard digits.count <= 9 else { return nil }
        var numerator = whole
        var denominator: Int64 = 1
        for digit in digits {
            // Checked before each step, so that the next one cannot overflow.
            guard numerator.magnitude <= 1 << 53 else { return nil }
            numerator = numerator * 10 + Int64(digit - UInt8(ascii: "0"))
            denominator *= 10
        }
        guard numerator.magnitude <= 1 << 53 else { return nil }
        return Double(numerator) / Double(denominator)
    }

    private static func parsedSeconds(_ whole: Int64, _ fraction: ArraySlice<UInt8>) -> Double {
        var digits = Array(fraction)
        var magnitude = whole
        if whole < 0 {
            // The decimal digits below zero: 58.75 after a whole minus sixty is minus 1.25.
            magnitude = -whole - 1
            for index in digits.indices {
                digits[index] = UInt8(ascii: "0") + UInt8(ascii: "9") - digits[index]
            }
            digits[digits.count - 1] += 1
        }
        let text = "\(magnitude)." + String(decoding: digits, as: UTF8.self)
        let seconds = Double(text) ?? Double(magnitude)
        return whole < 0 ? -seconds : seconds
    }
}

/// Days of the proleptic Gregorian calendar, counted from 2001-01-01.
enum CalendarDay {
    /// The day on which the 400-year cycle before 2001 begins, 0000-03-01.
    ///
    /// Years that begin in March have the leap day at their end, so months have fixed lengths.
    private static let cycleStart: Int64 = -730_791
    private static let daysInCycle: Int64 = 146_097

    static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day - cycleStart
        let cycle = (shifted >= 0 ? shifted : shifted - daysInCycle + 1) / daysInCycle
        let dayOfCycle = shifted - cycle * daysInCycle
        // Leap days before this day: one in 1,460 days, none in 36,524, one in the last.
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        // Months from March have 31, 30, 31, 30, 31 days, twice: 153 days in five.
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfCycle + cycle * 400 + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfMonth)
    }

    static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let cycle = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfCycle = marchYear - cycle * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * daysInCycle + dayOfCycle + cycleStart
    }

    static func count(inMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
