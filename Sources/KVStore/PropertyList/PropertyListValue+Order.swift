#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PropertyListValue {
    /// Returns whether a value stands before another in the order that fixes sets and pairs.
    ///
    /// The order is total and the same in every process: first by kind (bool, number, real, date,
    /// string, data, array, dictionary), then by number, by bytes, or element by element.
    /// Dictionaries compare by their keys in the order of UTF-8, each key before its value. Two
    /// values of which neither precedes the other are equal.
    package static func precedes(_ lhs: PropertyListValue, _ rhs: PropertyListValue) -> Bool {
        order(lhs, rhs) < 0
    }

    private var rank: Int {
        switch self {
        case .bool: 0
        case .integer, .unsignedInteger: 1
        case .real: 2
        case .date: 3
        case .string: 4
        case .data: 5
        case .array: 6
        case .dictionary: 7
        }
    }

    /// Returns a negative number, 0 or a positive number, as C's comparisons do.
    private static func order(_ lhs: PropertyListValue, _ rhs: PropertyListValue) -> Int {
        switch (lhs, rhs) {
        case (.bool(let lhs), .bool(let rhs)): order(lhs ? 1 : 0, rhs ? 1 : 0)
        case (.integer(let lhs), .integer(let rhs)): order(lhs, rhs)
        case (.unsignedInteger(let lhs), .unsignedInteger(let rhs)): order(lhs, rhs)
        case (.integer(let lhs), .unsignedInteger(let rhs)): lhs < rhs ? -1 : lhs == rhs ? 0 : 1
        case (.unsignedInteger(let lhs), .integer(let rhs)): lhs < rhs ? -1 : lhs == rhs ? 0 : 1
        case (.real(let lhs), .real(let rhs)): order(lhs.orderedBits, rhs.orderedBits)
        case (.date(let lhs), .date(let rhs)):
            order(
                lhs.timeIntervalSinceReferenceDate.orderedBits,
                rhs.timeIntervalSinceReferenceDate.orderedBits
            )
        case (.string(let lhs), .string(let rhs)): order(lhs.utf8, rhs.utf8)
        case (.data(let lhs), .data(let rhs)): order(lhs, rhs)
        case (.array(let lhs), .array(let rhs)): order(lhs, rhs)
        case (.dictionary(let lhs), .dictionary(let rhs)): order(lhs, rhs)
        default: lhs.rank - rhs.rank
        }
    }

    private static func order<Number: Comparable>(_ lhs: Number, _ rhs: Number) -> Int {
        lhs < rhs ? -1 : lhs == rhs ? 0 : 1
    }

    private static func order<Bytes: Sequence<UInt8>>(_ lhs: Bytes, _ rhs: Bytes) -> Int {
        if lhs.lexicographicallyPrecedes(rhs) { return -1 }
        return rhs.lexicographicallyPrecedes(lhs) ? 1 : 0
    }

    private static func order(_ lhs: [PropertyListValue], _ rhs: [PropertyListValue]) -> Int {
        for (left, right) in zip(lhs, rhs) {
            let result = order(left, right)
            if result != 0 { return result }
        }
        return lhs.count - rhs.count
    }

    private static func order(
        _ lhs: [String: PropertyListValue],
        _ rhs: [String: PropertyListValue]
    ) -> Int {
        let left = lhs.sorted { order($0.key.utf8, $1.key.utf8) < 0 }
        let right = rhs.sorted { order($0.key.utf8, $1.key.utf8) < 0 }
        for (left, right) in zip(left, right) {
            let keys = order(left.key.utf8, right.key.utf8)
            if keys != 0 { return keys }
            let values = order(left.value, right.value)
            if values != 0 { return values }
        }
        return left.count - right.count
    }
}

extension Double {
    /// Bits whose order as integers is -inf … -0.0, 0.0 … inf, NaN.
    fileprivate var orderedBits: UInt64 {
        let bits = storedBits
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }
}
