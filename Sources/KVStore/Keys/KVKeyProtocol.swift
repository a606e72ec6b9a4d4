/// What ``KVKey`` and ``KVDefaultKey`` share: a name, and the way between values and stored trees.
///
/// Every typed call takes any key through this protocol: `get`, `set`, `update`, the subscripts and
/// the streams exist once. A list of different keys, for a catalogue or to remove them all, is
/// `[any KVKeyProtocol]`:
///
/// ```swift
/// let keys: [any KVKeyProtocol] = [Keys.theme, Keys.launchCount]
/// for key in keys { try store.remove(key) }
/// ```
///
/// Keys may be declared as static members, so that calls can spell them with a leading dot:
///
/// ```swift
/// extension KVKeyProtocol where Self == KVKey<AppTheme> {
///     static var theme: Self { KVKey("theme") }
/// }
/// let theme = store.get(.theme)
/// ```
///
/// The protocol is not meant for conformances outside this package.
public protocol KVKeyProtocol<Value, Reading>: Sendable {
    /// The type of the value that is stored.
    associatedtype Value: Sendable
    /// What a read gives: `Value?` for a ``KVKey``, `Value` for a ``KVDefaultKey``.
    associatedtype Reading: Sendable

    /// The name under which the value is stored.
    ///
    /// A name is 1 to 4,096 bytes of UTF-8. Dots and other punctuation mean nothing, case counts,
    /// and canonically equivalent spellings are one name.
    var name: String { get }

    /// What a read gives where nothing readable is stored: nil or the default.
    var fallback: Reading { get }

    /// Decodes a stored value; nil, and the stored form of nil, give the fallback.
    ///
    /// - Throws: `DecodingError` if the value is there and cannot be read as `Value`.
    func reading(_ stored: PropertyListValue?) throws -> Reading

    /// Encodes what a read gave or what is to be stored; nil means that the key is to be removed.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    func stored(_ reading: Reading) throws -> PropertyListValue?

    /// Encodes a value; nil means that the key is to be removed.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    func stored(value: Value) throws -> PropertyListValue?
}
