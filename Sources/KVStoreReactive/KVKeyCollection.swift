public import KVStore

/// Keys that were declared once, read and written as properties of one value.
///
/// ```swift
/// struct AppKeys {
///     let launchCount = KVDefaultKey("launchCount", default: 0)
///     let nickname = KVKey<String?>("nickname")
/// }
/// let settings = KVKeyCollection(AppKeys(), in: store, prefix: "app.")
/// settings.launchCount += 1        // "app.launchCount"
/// settings[\.nickname] = "Ada"
/// ```
///
/// Each property whose type is a key is a property of the collection, with the key's value; it does
/// what the store's subscript does: nil removes, a write that fails is reported to the handler of
/// ``KVStoreError/setHandler(_:)``, and a change in place is a read and a write that leaves alone
/// what it cannot read. Everything else that can be done with a key is on its `handle(_:)`.
///
/// A key that is called `handle` can be had by its path only. Reads are not tracked by observation;
/// those of a handle that is kept are, as are ``KVStored`` and ``KVStorage`` properties.
@dynamicMemberLookup
public struct KVKeyCollection<Keys: Sendable>: Sendable {
    private let keys: Keys
    private let store: ReactiveKVStore
    private let prefix: String

    /// Creates a collection of keys over a store.
    ///
    /// - Parameters:
    ///   - keys: A value whose properties are keys, such as ``KVKeys``.
    ///   - store: The store to read and write.
    ///   - prefix: What the names of all keys begin with in the store.
    public init(_ keys: Keys, in store: any KVStoring, prefix: String = "") {
        self.keys = keys
        self.store = store as? ReactiveKVStore ?? ReactiveKVStore(store)
        self.prefix = prefix
    }

    /// The value of a key, for reading, assigning and changing in place.
    public subscript<Key: KVKeyProtocol>(path: KeyPath<Keys, Key>) -> Key.Reading {
        get { store.get(key(path)) }
        nonmutating set { store[key(path)] = newValue }
        nonmutating _modify { yield &store[key(path)] }
    }

    /// The value of a key for an optional type, for reading, assigning and changing in place.
    public subscript<Wrapped>(path: KeyPath<Keys, KVKey<Wrapped?>>) -> Wrapped? {
        get { store.get(key(path)) }
        nonmutating set { store[key(path)] = newValue }
        nonmutating _modify { yield &store[key(path)] }
    }

    /// The value of a key that is a property of the keys.
    public subscript<Key: KVKeyProtocol>(
        dynamicMember path: KeyPath<Keys, Key>
    ) -> Key.Reading {
        get { self[path] }
        nonmutating set { self[path] = newValue }
        nonmutating _modify { yield &self[path] }
    }

    /// The value of a key for an optional type that is a property of the keys.
    public subscript<Wrapped>(
        dynamicMember path: KeyPath<Keys, KVKey<Wrapped?>>
    ) -> Wrapped? {
        get { self[path] }
        nonmutating set { self[path] = newValue }
        nonmutating _modify { yield &self[path] }
    }

    /// Returns the handle on a key: to set it with errors thrown, update, remove and follow it.
    ///
    /// ```swift
    /// try settings.handle(\.launchCount).update { $0 += 1 }
    /// for await name in settings.handle(\.nickname).stream() { greet(name) }
    /// ```
    public func handle<Key: KVKeyProtocol>(_ path: KeyPath<Keys, Key>) -> KVHandle<Key.Reading> {
        KVHandle(ControlLink(key(path), in: store))
    }

    /// Returns the handle on a key for an optional type.
    public func handle<Wrapped>(_ path: KeyPath<Keys, KVKey<Wrapped?>>) -> KVHandle<Wrapped?> {
        KVHandle(ControlLink(key(path), in: store))
    }

    private func key<Key: KVKeyProtocol>(_ path: KeyPath<Keys, Key>) -> ErasedKey<Key.Reading> {
        ErasedKey(keys[keyPath: path]).prefixed(by: prefix)
    }

    private func key<Wrapped>(_ path: KeyPath<Keys, KVKey<Wrapped?>>) -> ErasedKey<Wrapped?> {
        ErasedKey(keys[keyPath: path]).prefixed(by: prefix)
    }
}
