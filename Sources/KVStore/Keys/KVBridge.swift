/// A form of its own in which a key's value is stored.
///
/// A key without a bridge stores what the value's `Codable` conformance encodes. With one, the type
/// need not be `Codable`, or keeps the form in which an older program stored it:
///
/// ```swift
/// enum Keys {
///     static let speed = KVDefaultKey("speed", default: Speed.normal, bridge: .rawValue)
///     static let profile = KVKey<Profile>("profile", bridge: .jsonData)
///     static let marks = KVKey<[Mark]>("marks", bridge: .array(of: .lossless))
/// }
/// ```
///
/// A bridge writes the form it reads, so programs that know only that form go on reading. What
/// it cannot read is an error with a coding path, as everywhere: `get` gives the fallback, and the
/// stored value stays.
///
/// A bridge of one's own is a pair of functions:
///
/// ```swift
/// extension KVBridge where Value == Color {
///     static var hex: KVBridge {
///         KVBridge { .string($0.hexText) } decode: { try Color(hexText: $0.decode(String.self)) }
///     }
/// }
/// ```
///
/// Both may be called on any thread and more than once for a write. A value that encodes to the
/// string `$null` is nil: setting it removes the key.
public struct KVBridge<Value: Sendable>: Sendable {
    /// Gives the stored form of a value.
    public let encode: @Sendable (Value) throws -> PropertyListValue

    /// Reads a stored form.
    public let decode: @Sendable (PropertyListValue) throws -> Value

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - encode: Gives the stored form of a value; throws `EncodingError` if there is none.
    ///   - decode: Reads a stored form; throws `DecodingError` if it is none of a value.
    public init(
        encode: @escaping @Sendable (Value) throws -> PropertyListValue,
        decode: @escaping @Sendable (PropertyListValue) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

extension KVBridge {
    /// The form of an optional: this one, or a null.
    var optional: KVBridge<Value?> {
        KVBridge<Value?> { value in
            guard let value else { return .null }
            return try encode(value)
        } decode: { stored in
            stored.isNull ? nil : try decode(stored)
        }
    }
}
