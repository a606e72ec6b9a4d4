/// A typed key whose value may be absent.
///
/// ```swift
/// enum Keys {
///     static let theme = KVKey<AppTheme>("theme")
///     static let nickname = KVKey<String?>("nickname")
/// }
/// try store.set(Keys.theme, value: .dark)
/// let theme = store.get(Keys.theme) ?? .system
/// try store.set(Keys.nickname, value: nil)  // removes the key
/// ```
///
/// A read gives `Value?`, and nil has one meaning: nothing that reads as a `Value` is stored. For a
/// key whose `Value` is itself optional, a read gives that optional and not a doubled one; setting
/// nil removes the key. In generic code over `KVKey<V>`, `V` may be optional too: a read then gives
/// `V?` with the outer level nil, and setting a nil of any depth removes the key just the same.
///
/// A type that is not `Codable`, or that an older program stored in a form of its own, is named with
/// a ``KVBridge``: `KVKey("speed", bridge: .rawValue)`.
///
/// A key is a plain value: create it where it is used or keep it in a static property.
public struct KVKey<Value: Sendable>: KVKeyProtocol {
    /// What a read gives: the value, or nil where none is stored.
    public typealias Reading = Value?

    /// The name under which the value is stored.
    public let name: String

    @usableFromInline let form: ValueForm<Value>

    /// Creates a key.
    ///
    /// Any name can be given. One that no backend can hold (empty, longer than 4,096 bytes of
    /// UTF-8, beginning with U+FEFF, or with control characters other than tab, newline and
    /// carriage return) reads as absent, and writing it throws ``KVStoreError/Code/invalidKey``.
    ///
    /// - Parameter name: The name under which the value is stored.
    @inlinable
    public init(_ name: String) where Value: Codable {
        self.name = name
        form = .coded(Value.self)
    }

    /// Creates a key whose value has a form of its own in the store.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; see ``init(_:)`` for legal names.
    ///   - bridge: The form of the value; `Value` need not be `Codable`.
    public init(_ name: String, bridge: KVBridge<Value>) {
        self.name = name
        form = .bridged(ValueForm.Bridge(bridge))
    }

    /// Creates a key for an optional type whose wrapped value has a form of its own in the store.
    ///
    /// - Parameters:
    ///   - name: The name under which the value is stored; see ``init(_:)`` for legal names.
    ///   - bridge: The form of a value that is not nil.
    public init<Wrapped>(_ name: String, bridge: KVBridge<Wrapped>) where Value == Wrapped? {
        self.init(name, bridge: bridge.optional)
    }

    /// Nil.
    @inlinable public var fallback: Value? { nil }

    /// Decodes a stored value; an absent one and the stored form of nil give nil.
    ///
    /// - Throws: `DecodingError` if the value is there and cannot be read as `Value`.
    @inlinable
    @inline(__always)
    public func reading(_ stored: PropertyListValue?) throws -> Value? {
        guard let stored else { return nil }
        if stored.isNull { return nil }
        return try form.value(of: stored)
    }

    /// Encodes a value for storage; nil, at any depth of optionals, means removal.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` or the bridge throws.
    @inlinable
    public func stored(_ reading: Value?) throws -> PropertyListValue? {
        guard let reading else { return nil }
        return try stored(value: reading)
    }

    /// Encodes a value for storage; nil, at any depth of optionals, means removal.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` or the bridge throws.
    @inlinable
    @inline(__always)
    public func stored(value: Value) throws -> PropertyListValue? {
        let tree = try form.stored(value)
        return tree.isNull ? nil : tree
    }
}
