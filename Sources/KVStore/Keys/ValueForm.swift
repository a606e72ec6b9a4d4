/// How a key stores its values: as their type encodes them, or over a bridge.
///
/// Without a bridge it costs a read one test; functions in each key would cost most of a look-up.
@usableFromInline
enum ValueForm<Value: Sendable>: Sendable {
    /// The form that the type encodes; the type is that of the values.
    case coded(any (Codable & Sendable).Type)
    case bridged(Bridge)

    /// A bridge, in an object so that keys stay small.
    @usableFromInline
    final class Bridge: Sendable {
        fileprivate let bridge: KVBridge<Value>

        @usableFromInline
        init(_ bridge: KVBridge<Value>) {
            self.bridge = bridge
        }
    }

    /// Decodes a stored value.
    @inlinable
    @inline(__always)
    func value(of stored: PropertyListValue) throws -> Value {
        if case .coded = self, let value = stored.scalar(as: Value.self) { return value }
        return try otherValue(of: stored)
    }

    /// Encodes a value.
    @inlinable
    @inline(__always)
    func stored(_ value: Value) throws -> PropertyListValue {
        if case .coded = self, let stored = PropertyListValue(scalar: value) { return stored }
        return try otherStored(value)
    }

    @usableFromInline
    func otherValue(of stored: PropertyListValue) throws -> Value {
        switch self {
        case .coded(let type): try Self.decode(stored, as: type)
        case .bridged(let bridge): try bridge.bridge.decode(stored)
        }
    }

    @usableFromInline
    func otherStored(_ value: Value) throws -> PropertyListValue {
        switch self {
        case .coded(let type): try Self.encode(value, as: type)
        case .bridged(let bridge): try bridge.bridge.encode(value)
        }
    }

    private static func decode<T: Decodable>(
        _ stored: PropertyListValue,
        as type: T.Type
    ) throws -> Value {
        PropertyListValue.same(try stored.decoding(type), as: Value.self)
    }

    private static func encode<T: Encodable>(
        _ value: Value,
        as type: T.Type
    ) throws -> PropertyListValue {
        try PropertyListValue.encoding(PropertyListValue.same(value, as: type))
    }
}
