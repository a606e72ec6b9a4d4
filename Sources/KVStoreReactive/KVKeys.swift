public import KVStore

/// Where keys are declared in extensions, to be named by their paths alone.
///
/// ```swift
/// extension KVKeys {
///     var fontSize: KVDefaultKey<Double> { KVDefaultKey("fontSize", default: 16) }
///     var nickname: KVKey<String?> { KVKey("nickname") }
/// }
/// @KVStorage(\.fontSize, store: store) var fontSize   // a Double, followed
/// let size = KVObservedValue(\.fontSize, in: store)
/// let settings = KVKeyCollection(KVKeys(), in: store)
/// settings.fontSize += 1
/// ```
///
/// The property of a key holds its name and its default, and is all there is to declare. Each module
/// sees its own keys and the public ones of those that it imports.
public struct KVKeys: Sendable {
    /// Creates the value that the paths start from.
    public init() {}
}

extension KVKeys {
    /// Returns the key that a path leads to.
    static func key<Key: KVKeyProtocol>(at path: KeyPath<KVKeys, Key>) -> ErasedKey<Key.Reading> {
        ErasedKey(KVKeys()[keyPath: path])
    }

    /// Returns the key for an optional type that a path leads to.
    static func key<Wrapped>(at path: KeyPath<KVKeys, KVKey<Wrapped?>>) -> ErasedKey<Wrapped?> {
        ErasedKey(KVKeys()[keyPath: path])
    }
}

extension KVStored {
    /// Creates a property over a key of ``KVKeys``.
    ///
    /// - Parameter path: The path of the key.
    public init<Key: KVKeyProtocol>(_ path: KeyPath<KVKeys, Key>) where Key.Reading == Value {
        self.init(erased: KVKeys.key(at: path))
    }

    /// Creates a property over a key of ``KVKeys`` for an optional type.
    ///
    /// - Parameter path: The path of the key.
    public init<Wrapped>(_ path: KeyPath<KVKeys, KVKey<Wrapped?>>) where Value == Wrapped? {
        self.init(erased: KVKeys.key(at: path))
    }
}

extension KVStorage {
    /// Creates a property over a key of ``KVKeys``.
    ///
    /// - Parameters:
    ///   - path: The path of the key.
    ///   - store: The store to read, write and follow.
    public init<Key: KVKeyProtocol>(_ path: KeyPath<KVKeys, Key>, store: ReactiveKVStore)
    where Key.Reading == Value {
        self.init(erased: KVKeys.key(at: path), store: store)
    }

    /// Creates a property over a key of ``KVKeys`` for an optional type.
    ///
    /// - Parameters:
    ///   - path: The path of the key.
    ///   - store: The store to read, write and follow.
    public init<Wrapped>(_ path: KeyPath<KVKeys, KVKey<Wrapped?>>, store: ReactiveKVStore)
    where Value == Wrapped? {
        self.init(erased: KVKeys.key(at: path), store: store)
    }
}

extension KVObservedValue {
    /// Creates a cell over a key of ``KVKeys``.
    ///
    /// - Parameters:
    ///   - path: The path of the key.
    ///   - store: The store to read, write and observe.
    public convenience init<Key: KVKeyProtocol>(
        _ path: KeyPath<KVKeys, Key>,
        in store: ReactiveKVStore
    ) where Key.Reading == Reading {
        self.init(erased: KVKeys.key(at: path), in: store)
    }

    /// Creates a cell over a key of ``KVKeys`` for an optional type.
    ///
    /// - Parameters:
    ///   - path: The path of the key.
    ///   - store: The store to read, write and observe.
    public convenience init<Wrapped>(
        _ path: KeyPath<KVKeys, KVKey<Wrapped?>>,
        in store: ReactiveKVStore
    ) where Reading == Wrapped? {
        self.init(erased: KVKeys.key(at: path), in: store)
    }
}
