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
public struct KVDefaultKey<Value: Sendable>: KVKeyProtocol {
    /// What a read gives: the value, or the default.
    public typealias Reading = Value

    /// The name under which the value is stored.
    public let name: String

    /// The value of a read where nothing readable is stored.
    public let fallback: Value

    @usableFromInline let form: ValueForm<Value>

    /// Creates a key with a default.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; see ``KVKey/init(_:)`` for legal names.
    ///   - default: The value of a read where nothing readable is stored.
    @inlinable
    public init(_ name: String, default: Value) where Value: Codable {
        self.name = name
        self.fallback = `default`
        form = .coded(Value.self)
    }

    /// Creates a key with a default whose value has a form of its own in the store.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; see ``KVKey/init(_:)`` for legal names.
    ///   - default: The value of a read where nothing readable is stored.
    ///   - bridge: The form of the value; `Value` need not be `Codable`.
    public init(_ name: String, default: Value, bridge: KVBridge<Value>) {
        self.name = name
        self.fallback = `default`
        form = .bridged(ValueForm.Bridge(bridge))
    }

    /// Creates a key with a default for an optional type whose wrapped value has a form of its own
    /// in the store.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; see ``KVKey/init(_:)`` for legal names.
    ///   - default: The value of a read where nothing readable is stored.
    ///   - bridge: The form of a value that is not nil.
    public init<Wrapped>(_ name: String, default: Value, bridge: KVBridge<Wrapped>)
    where Value == Wrapped? {
        self.init(name, default: `default`, bridge: bridge.optional)
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
        return try form.value(of: stored)
    }

    /// Encodes a value for storage; nil means removal.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` or the bridge throws.
    @inlinable
    public func stored(_ reading: Value) throws -> PropertyListValue? {
        try stored(value: reading)
    }

    /// Encodes a value for storage; nil means removal.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` or the bridge throws.
    @inlinable
    @inline(__always)
    public func stored(value: Value) throws -> PropertyListValue? {
        let tree = try form.stored(value)
        guard tree.isNull else { return tree }
        return try form.stored(fallback).isNull ? nil : tree
    }
}
