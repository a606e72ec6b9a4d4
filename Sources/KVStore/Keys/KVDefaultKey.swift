/// A typed key with a default, so that a read always gives a value.
///
/// ```swift
/// enum Keys {
///     static let launchCount = KVDefaultKey("launchCount", default: 0)
/// }
/// try store.update(Keys.launchCount) { $0 += 1 }
/// let count = store.get(Keys.launchCount)  // Int
/// ```
///
/// The default lives in the key. It is never written: a key that was only read is not in the store,
/// and setting the default stores it as any other value.
///
/// **An optional with a default.** For a `KVDefaultKey<W?>` whose default is not nil, setting nil
/// stores an explicit nil, which reads back as nil. If the default is nil, setting nil removes the
/// key, which reads the same.
public struct KVDefaultKey<Value: Codable & Sendable>: KVKeyProtocol {
    /// What a read gives: the value, or the default.
    public typealias Reading = Value

    /// The name under which the value is stored.
    public let name: String

    /// The value of a read where nothing readable is stored.
    public let fallback: Value

    /// Creates a key with a default.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; see ``KVKey/init(_:)`` for legal names.
    ///   - default: The value of a read where nothing readable is stored.
    @inlinable
    public init(_ name: String, default: Value) {
        self.name = name
        self.fallback = `default`
    }

    /// Decodes a stored value; an absent one gives the default.
    ///
    /// The stored form of nil gives nil if `Value` is optional, and else the default.
    ///
    /// - Throws: `DecodingError` if the value is there and cannot be read as `Value`.
    @inlinable
    @inline(__always)
    public func reading(_ stored: PropertyListValue?) throws -> Value {
        guard let stored else { return fallback }
        if stored.isNull, !(Value.self is any ExpressibleByNilLiteral.Type) {
            return fallback
        }
        return try stored.decode(Value.self)
    }

    /// Encodes a value for storage; nil means removal.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    @inlinable
    public func stored(_ reading: Value) throws -> PropertyListValue? {
        try stored(value: reading)
    }

    /// Encodes a value for storage; nil means removal.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    @inlinable
    @inline(__always)
    public func stored(value: Value) throws -> PropertyListValue? {
        let tree = try PropertyListValue(encoding: value)
        guard tree.isNull else { return tree }
        return try PropertyListValue(encoding: fallback).isNull ? nil : tree
    }
}
