#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that has a form of its own here.
///
/// The kind is found by comparing types, before a value is read, so that no generic type has to
/// be made for each type that is read: looking one up takes longer than reading a scalar.
enum LeafKind {
    case string, int, double, bool
    case date, data, url, uuid, decimal
    case strings, ints, doubles, bools
    case stringEntries, intEntries, doubleEntries, boolEntries
    case float, int64, uint64, uint, int32, uint32, int16, uint16, int8, uint8

    @inline(__always)
    init?<T>(_ type: T.Type) {
        if T.self == String.self {
            self = .string
        } else if T.self == Int.self {
            self = .int
        } else if T.self == Double.self {
            self = .double
        } else if T.self == Bool.self {
            self = .bool
        } else {
            self.init(rare: type)
        }
    }

    @inline(never)
    private init?<T>(rare type: T.Type) {
        if T.self == Date.self {
            self = .date
        } else if T.self == Data.self {
            self = .data
        } else if T.self == URL.self {
            self = .url
        } else if T.self == UUID.self {
            self = .uuid
        } else if T.self == Decimal.self {
            self = .decimal
        } else if T.self == [String].self {
            self = .strings
        } else if T.self == [Int].self {
            self = .ints
        } else if T.self == [Double].self {
            self = .doubles
        } else if T.self == [Bool].self {
            self = .bools
        } else if T.self == [String: String].self {
            self = .stringEntries
        } else if T.self == [String: Int].self {
            self = .intEntries
        } else if T.self == [String: Double].self {
            self = .doubleEntries
        } else if T.self == [String: Bool].self {
            self = .boolEntries
        } else {
            self.init(scalar: type)
        }
    }

    private init?<T>(scalar type: T.Type) {
        if T.self == Float.self {
            self = .float
        } else if T.self == Int64.self {
            self = .int64
        } else if T.self == UInt64.self {
            self = .uint64
        } else if T.self == UInt.self {
            self = .uint
        } else if T.self == Int32.self {
            self = .int32
        } else if T.self == UInt32.self {
            self = .uint32
        } else if T.self == Int16.self {
            self = .int16
        } else if T.self == UInt16.self {
            self = .uint16
        } else if T.self == Int8.self {
            self = .int8
        } else if T.self == UInt8.self {
            self = .uint8
        } else {
            return nil
        }
    }
}

/// Why a stored value is not read as a leaf.
enum LeafFailure: Error {
    case unreadable
    /// The type itself finds and names what is wrong.
    case leftToType
}

extension PropertyListValue {
    /// Reads this value as a type of a known kind.
    func leaf<T>(_ type: T.Type, _ kind: LeafKind) throws(LeafFailure) -> T {
        switch kind {
        case .string: try Self.read(text)
        case .int: try Self.read(asInteger(Int.self))
        case .double: try Self.read(asDouble)
        case .bool: try Self.read(asBool)
        case .date: try Self.read(asDate)
        case .data: try Self.read(asData)
        case .url: try Self.read(asURL)
        case .uuid: try Self.read(text.flatMap { UUID(text: $0) })
        case .decimal: try Self.read(asDecimal)
        case .strings: try list { $0.text }
        case .ints: try list { $0.asInteger(Int.self) }
        case .doubles: try list { $0.asDouble }
        case .bools: try list { $0.asBool }
        case .stringEntries: try entries { $0.text }
        case .intEntries: try entries { $0.asInteger(Int.self) }
        case .doubleEntries: try entries { $0.asDouble }
        case .boolEntries: try entries { $0.asBool }
        case .float: try Self.read(asFloat)
        case .int64: try Self.read(asInteger(Int64.self))
        case .uint64: try Self.read(asInteger(UInt64.self))
        case .uint: try Self.read(asInteger(UInt.self))
        case .int32: try Self.read(asInteger(Int32.self))
        case .uint32: try Self.read(asInteger(UInt32.self))
        case .int16: try Self.read(asInteger(Int16.self))
        case .uint16: try Self.read(asInteger(UInt16.self))
        case .int8: try Self.read(asInteger(Int8.self))
        case .uint8: try Self.read(asInteger(UInt8.self))
        }
    }

    /// Returns a value that is known to be of the type.
    @inline(__always)
    private static func read<Source, T>(_ value: Source?) throws(LeafFailure) -> T {
        guard let value else { throw .unreadable }
        return same(value, as: T.self)
    }

    /// Reads an array of scalars, or leaves it to the type, whose error names the position.
    @inline(__always)
    private func list<T, Element>(
        _ read: (PropertyListValue) -> Element?
    ) throws(LeafFailure) -> T {
        guard case .array(let elements) = self else { throw .leftToType }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard let value = read(element) else { throw .leftToType }
            result.append(value)
        }
        return Self.same(result, as: T.self)
    }

    /// Reads a dictionary of scalars, or leaves it to the type, whose error names the key.
    @inline(__always)
    private func entries<T, Value>(
        _ read: (PropertyListValue) -> Value?
    ) throws(LeafFailure) -> T {
        guard case .dictionary(let entries) = self else { throw .leftToType }
        var result: [String: Value] = Dictionary(minimumCapacity: entries.count)
        for (key, element) in entries {
            guard let value = read(element) else { throw .leftToType }
            result[key] = value
        }
        return Self.same(result, as: T.self)
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
