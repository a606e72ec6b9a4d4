#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PropertyListValue {
    /// Returns the tree of a value whose type has a form of its own here, or nil for any other.
    ///
    /// Every way into the encoder asks this first, so a scalar, a date or a URL has one shape
    /// wherever it stands. The types are compared, not cast to: a cast costs 100 ns.
    @inline(__always)
    static func leaf<T: Encodable>(_ value: T) -> PropertyListValue? {
        if T.self == String.self { return .text(same(value, as: String.self)) }
        if T.self == Int.self { return .integer(Int64(same(value, as: Int.self))) }
        if T.self == Double.self { return .real(same(value, as: Double.self)) }
        if T.self == Bool.self { return .bool(same(value, as: Bool.self)) }
        return rareLeaf(value)
    }

    @inline(never)
    private static func rareLeaf<T: Encodable>(_ value: T) -> PropertyListValue? {
        if T.self == Date.self { return .instant(same(value, as: Date.self)) }
        if T.self == Data.self { return .data(same(value, as: Data.self)) }
        if T.self == URL.self { return .location(same(value, as: URL.self)) }
        if T.self == UUID.self { return .string(same(value, as: UUID.self).uuidString) }
        if T.self == Decimal.self { return .string(same(value, as: Decimal.self).description) }
        if T.self == [String].self {
            return .array(same(value, as: [String].self).map(PropertyListValue.text))
        }
        if T.self == [Int].self {
            return .array(same(value, as: [Int].self).map { .integer(Int64($0)) })
        }
        if T.self == [Double].self {
            return .array(same(value, as: [Double].self).map(PropertyListValue.real))
        }
        if T.self == [Bool].self {
            return .array(same(value, as: [Bool].self).map(PropertyListValue.bool))
        }
        if T.self == [String: String].self {
            return entries(same(value, as: [String: String].self), PropertyListValue.text)
        }
        if T.self == [String: Int].self {
            return entries(same(value, as: [String: Int].self)) { .integer(Int64($0)) }
        }
        if T.self == [String: Double].self {
            return entries(same(value, as: [String: Double].self), PropertyListValue.real)
        }
        if T.self == [String: Bool].self {
            return entries(same(value, as: [String: Bool].self), PropertyListValue.bool)
        }
        return scalarLeaf(value)
    }

    /// Returns a dictionary of scalars, or nil to leave one with a key that may be refused to the
    /// encoder, which knows the path for the error.
    private static func entries<Value>(
        _ values: [String: Value],
        _ stored: (Value) -> PropertyListValue
    ) -> PropertyListValue? {
        if values.count == 1, values.keys.first?.utf8.first == UInt8(ascii: "$") { return nil }
        guard values.keys.allSatisfy({ $0.utf8.count <= maximumKeyLength }) else { return nil }
        return .dictionary(values.mapValues(stored))
    }

    private static func scalarLeaf<T: Encodable>(_ value: T) -> PropertyListValue? {
        if T.self == Float.self { return .real(Double(same(value, as: Float.self))) }
        if T.self == Int64.self { return .integer(same(value, as: Int64.self)) }
        if T.self == UInt64.self { return .unsigned(same(value, as: UInt64.self)) }
        if T.self == UInt.self { return .unsigned(UInt64(same(value, as: UInt.self))) }
        if T.self == Int32.self { return .integer(Int64(same(value, as: Int32.self))) }
        if T.self == UInt32.self { return .integer(Int64(same(value, as: UInt32.self))) }
        if T.self == Int16.self { return .integer(Int64(same(value, as: Int16.self))) }
        if T.self == UInt16.self { return .integer(Int64(same(value, as: UInt16.self))) }
        if T.self == Int8.self { return .integer(Int64(same(value, as: Int8.self))) }
        if T.self == UInt8.self { return .integer(Int64(same(value, as: UInt8.self))) }
        return nil
    }

    private var isScalar: Bool {
        switch self {
        case .array, .dictionary: false
        default: true
        }
    }

    /// How many containers deep this tree is at most, if a leaf type is stored as it.
    var depthAsLeaf: Int {
        switch self {
        case .array: 1
        case .dictionary(let entries): entries.values.allSatisfy { $0.isScalar } ? 1 : 2
        default: 0
        }
    }

    /// Returns a value as the type that it was found to have.
    ///
    /// Sound because each caller has compared the two types.
    @inlinable
    @inline(__always)
    static func same<T, U>(_ value: T, as type: U.Type) -> U {
        unsafe unsafeBitCast(value, to: U.self)
    }

    /// Returns the integer, in the unsigned form only if it does not fit the signed one.
    static func unsigned(_ value: UInt64) -> PropertyListValue {
        Int64(exactly: value).map(PropertyListValue.integer) ?? .unsignedInteger(value)
    }

    /// Returns a date, with one zero: `Date` calls 0.0 and -0.0 equal, and storage compares bits.
    private static func instant(_ date: Date) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + 0.0))
    }

    /// Returns a URL as its string, or with its base where the string alone would not be equal.
    private static func location(_ url: URL) -> PropertyListValue {
        guard let base = url.baseURL else { return .text(url.absoluteString) }
        return .dictionary(["base": parts(of: base), "relative": .text(url.relativeString)])
    }

    private static func parts(of url: URL) -> PropertyListValue {
        let relative = PropertyListValue.text(url.relativeString)
        guard let base = url.baseURL else { return .dictionary(["relative": relative]) }
        return .dictionary(["base": parts(of: base), "relative": relative])
    }
}
