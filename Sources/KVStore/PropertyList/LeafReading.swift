#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a stored value is to a type that may have a form of its own here.
enum LeafReading<Value> {
    case value(Value)
    case unreadable
    /// The type decodes itself.
    case notLeaf

    /// Makes a reading of a value that is known to be of the type.
    ///
    /// Sound because the caller has compared `Source` with `Value`.
    @inline(__always)
    init<Source>(_ value: Source?) {
        if let value {
            self = .value(PropertyListValue.same(value, as: Value.self))
        } else {
            self = .unreadable
        }
    }
}

extension PropertyListValue {
    /// Reads this value as a type that has a form of its own here; the counterpart of
    /// `leaf(_:)` for writing.
    @inline(__always)
    func leaf<T>(_ type: T.Type) -> LeafReading<T> {
        if T.self == String.self { return LeafReading(text) }
        if T.self == Int.self { return LeafReading(asInteger(Int.self)) }
        if T.self == Double.self { return LeafReading(asDouble) }
        if T.self == Bool.self { return LeafReading(asBool) }
        return rareLeaf(type)
    }

    @inline(never)
    private func rareLeaf<T>(_ type: T.Type) -> LeafReading<T> {
        if T.self == Date.self { return LeafReading(asDate) }
        if T.self == Data.self { return LeafReading(asData) }
        if T.self == URL.self { return LeafReading(asURL) }
        if T.self == UUID.self { return LeafReading(text.flatMap { UUID(uuidString: $0) }) }
        if T.self == Decimal.self { return LeafReading(asDecimal) }
        if T.self == [String].self { return list(type) { $0.text } }
        if T.self == [Int].self { return list(type) { $0.asInteger(Int.self) } }
        if T.self == [Double].self { return list(type) { $0.asDouble } }
        if T.self == [Bool].self { return list(type) { $0.asBool } }
        return scalarLeaf(type)
    }

    private func scalarLeaf<T>(_ type: T.Type) -> LeafReading<T> {
        if T.self == Float.self { return LeafReading(asFloat) }
        if T.self == Int64.self { return LeafReading(asInteger(Int64.self)) }
        if T.self == UInt64.self { return LeafReading(asInteger(UInt64.self)) }
        if T.self == UInt.self { return LeafReading(asInteger(UInt.self)) }
        if T.self == Int32.self { return LeafReading(asInteger(Int32.self)) }
        if T.self == UInt32.self { return LeafReading(asInteger(UInt32.self)) }
        if T.self == Int16.self { return LeafReading(asInteger(Int16.self)) }
        if T.self == UInt16.self { return LeafReading(asInteger(UInt16.self)) }
        if T.self == Int8.self { return LeafReading(asInteger(Int8.self)) }
        if T.self == UInt8.self { return LeafReading(asInteger(UInt8.self)) }
        return .notLeaf
    }

    /// Reads an array of scalars, or leaves it to the type, whose error names the position.
    @inline(__always)
    private func list<T, Element>(
        _ type: T.Type,
        _ read: (PropertyListValue) -> Element?
    ) -> LeafReading<T> {
        guard case .array(let elements) = self else { return .notLeaf }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard let value = read(element) else { return .notLeaf }
            result.append(value)
        }
        return LeafReading(result)
    }

    private var asDate: Date? {
        guard case .date(let date) = self else { return nil }
        return date
    }

    private var asData: Data? {
        guard case .data(let data) = self else { return nil }
        return data
    }

    /// The URL that a string or Foundation's `{base, relative}` stands for.
    private var asURL: URL? {
        switch self {
        case .string:
            guard let text, !text.isEmpty else { return nil }
            return URL(string: text)
        case .dictionary(let parts):
            guard let relative = parts["relative"]?.text else { return nil }
            guard let base = parts["base"], !base.isNull else { return URL(string: relative) }
            // A base is absolute and has none itself, so this does not follow a chain.
            guard case .dictionary(let parts) = base, let text = parts["relative"]?.text,
                let url = URL(string: text)
            else { return nil }
            return URL(string: relative, relativeTo: url)
        default:
            return nil
        }
    }
}

extension PropertyListValue {
    static let readsNumbers: Set<ObjectIdentifier> = [
        ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self), ObjectIdentifier(Int16.self),
        ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self), ObjectIdentifier(Int128.self),
        ObjectIdentifier(UInt.self), ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self),
        ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt64.self),
        ObjectIdentifier(UInt128.self), ObjectIdentifier(Float.self),
        ObjectIdentifier(Double.self), ObjectIdentifier(Bool.self), ObjectIdentifier(Decimal.self),
    ]

    static let readsStrings: Set<ObjectIdentifier> = [
        ObjectIdentifier(URL.self), ObjectIdentifier(UUID.self), ObjectIdentifier(Decimal.self),
    ]
}
