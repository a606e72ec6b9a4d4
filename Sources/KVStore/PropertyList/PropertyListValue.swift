#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A stored value: the tree that every backend keeps, whatever medium it writes to.
///
/// Typed keys encode their values to this tree and decode from it, so the stored shape is the same
/// in memory, in a JSON file and in `UserDefaults`. The tree is what raw calls such as
/// ``KVAccessing/storedValue(for:)`` speak, and what tests compare:
///
/// ```swift
/// try store.set(KVKey<[String]>("languages"), value: ["en", "fr"])
/// #expect(try store.storedValues() == ["languages": ["en", "fr"]])
/// ```
///
/// **Equality is of what is stored.** Integers compare by number and never equal reals: replacing
/// `1` with `1.0` is a change. Reals compare by their bits, so `0.0` and `-0.0` differ, and all
/// NaNs are one value. Strings compare by their UTF-8, so another spelling of the same characters
/// is a change. Dictionary keys compare as Swift strings do, by canonical equivalence.
///
/// **Null.** The tree has no null case. A null is the string `$null`; a genuine string of one or
/// more `$` signs followed by `null` is stored with one `$` more.
public enum PropertyListValue: Sendable {
    /// A string.
    case string(String)
    /// An integer that fits 64 signed bits.
    case integer(Int64)
    /// An integer above `Int64.max`. Smaller numbers compare equal to their ``integer(_:)`` form.
    case unsignedInteger(UInt64)
    /// A floating-point number.
    case real(Double)
    /// True or false, which no medium confuses with 1 or 0.
    case bool(Bool)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// An ordered list of values.
    case array([PropertyListValue])
    /// Values by name.
    case dictionary([String: PropertyListValue])

    /// The stored form of nil inside arrays and dictionaries.
    package static let null = PropertyListValue.string("$null")

    /// Whether this is the stored form of nil.
    @inlinable
    @inline(__always)
    package var isNull: Bool {
        // The first byte rules out nearly every string without a call.
        guard case .string(let string) = self, string.utf8.first == 0x24 else { return false }
        return PropertyListValue.isNullText(string)
    }

    @usableFromInline
    static func isNullText(_ string: String) -> Bool {
        string.utf8Equals("$null")
    }

    /// The deepest nesting of arrays and dictionaries that is stored or read.
    package static let maximumDepth = 128
}

extension PropertyListValue: Equatable {
    /// Returns whether two values are stored alike.
    public static func == (lhs: PropertyListValue, rhs: PropertyListValue) -> Bool {
        switch (lhs, rhs) {
        case (.string(let lhs), .string(let rhs)): lhs.utf8Equals(rhs)
        case (.integer(let lhs), .integer(let rhs)): lhs == rhs
        case (.unsignedInteger(let lhs), .unsignedInteger(let rhs)): lhs == rhs
        case (.integer(let integer), .unsignedInteger(let unsigned)),
            (.unsignedInteger(let unsigned), .integer(let integer)):
            integer == unsigned
        case (.real(let lhs), .real(let rhs)): lhs.storedBits == rhs.storedBits
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs
        case (.data(let lhs), .data(let rhs)): lhs == rhs
        case (.date(let lhs), .date(let rhs)):
            lhs.timeIntervalSinceReferenceDate.storedBits
                == rhs.timeIntervalSinceReferenceDate.storedBits
        case (.array(let lhs), .array(let rhs)): lhs == rhs
        case (.dictionary(let lhs), .dictionary(let rhs)): lhs == rhs
        default: false
        }
    }
}

extension PropertyListValue: Hashable {
    /// Feeds what equality compares into a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let value):
            hasher.combine(0)
            for byte in value.utf8 { hasher.combine(byte) }
        case .integer(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .unsignedInteger(let value):
            hasher.combine(1)
            if let integer = Int64(exactly: value) {
                hasher.combine(integer)
            } else {
                hasher.combine(value)
            }
        case .real(let value):
            hasher.combine(2)
            hasher.combine(value.storedBits)
        case .bool(let value):
            hasher.combine(3)
            hasher.combine(value)
        case .data(let value):
            hasher.combine(4)
            hasher.combine(value)
        case .date(let value):
            hasher.combine(5)
            hasher.combine(value.timeIntervalSinceReferenceDate.storedBits)
        case .array(let value):
            hasher.combine(6)
            hasher.combine(value)
        case .dictionary(let value):
            hasher.combine(7)
            hasher.combine(value)
        }
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates an integer.
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    /// Creates a real, also for a literal without a fraction such as `1.0`.
    public init(floatLiteral value: Double) {
        self = .real(value)
    }

    /// Creates a bool.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension PropertyListValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: PropertyListValue...) {
        self = .array(elements)
    }

    /// Creates a dictionary; of two equal keys, the last one counts.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension Double {
    /// The bits that storage compares: one pattern for every NaN.
    package var storedBits: UInt64 {
        isNaN ? Double.nan.bitPattern : bitPattern
    }
}

extension String {
    /// Returns whether the UTF-8 of two strings is the same, byte for byte.
    ///
    /// `==` treats canonically equivalent spellings as one string, which would hide a change of a
    /// file name or a password, and it is quadratic on long runs of combining marks.
    package func utf8Equals(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
