public import KVStore

/// A property of a ``KVSettings`` class whose value is in the object's store.
///
/// ```swift
/// final class Settings: KVSettings {
///     let store: ReactiveKVStore
///     init(store: any KVStoring) { self.store = ReactiveKVStore(store) }
///
///     @KVStored("appearance") var appearance = Appearance()
///     @KVStored("nickname") var nickname: String?
///     @KVStored(Keys.launchCount) var launchCount
/// }
/// settings.appearance.theme = .dark
/// settings.nickname = nil               // removes the key
/// try settings.$launchCount.update { $0 += 1 }
/// ```
///
/// Reading gives what is stored, whoever wrote it, and the default or nil where nothing readable
/// is. The default is never written. Assigning stores. Nil removes, except where the property is
/// optional and its default is not nil: then nil is stored and read back.
///
/// A setter cannot throw. An assignment that fails leaves the old value and hands its error to the
/// handler of ``KVStoreError/setHandler(_:)``; `$property.set(_:)` throws it instead. A change in
/// place (`settings.launchCount += 1`, `settings.appearance.theme = .dark`) is a read and a write,
/// not one step, and writes nothing over a stored value that cannot be read; use `$property.update`
/// for a counter.
///
/// A control that is bound to a member of the value sets the whole value, so bindings
/// (`$settings.appearance.theme` of a `@Bindable` object) write nothing over what cannot be read
/// either. An assignment through a key path of one's own cannot be told from a plain one.
///
/// Whoever reads the property while tracking observation is told once per change, on the thread of
/// the writer. To be able to, the property follows its key from the first read on, as long as the
/// object lives: a store that watches a file begins to do so then, and not when the object is made.
/// A value is decoded once per change.
///
/// In structs, views and functions use ``KVStorage``, which takes its store as an argument.
@propertyWrapper
public struct KVStored<Value: Sendable>: Sendable {
    private let key: ErasedKey<Value>
    private let cells = CellKeeper<Value>()

    init(erased key: ErasedKey<Value>) {
        self.key = key
    }

    /// Creates a property with a default.
    ///
    /// - Parameters:
    ///   - wrappedValue: What a read gives where nothing readable is stored.
    ///   - name: The name of the key; see ``KVKey/init(_:)`` for legal names.
    public init(wrappedValue: Value, _ name: String) where Value: Codable {
        self.init(erased: ErasedKey(KVDefaultKey(name, default: wrappedValue)))
    }

    /// Creates a property that is nil where nothing readable is stored.
    ///
    /// - Parameter name: The name of the key; see ``KVKey/init(_:)`` for legal names.
    public init<Wrapped: Codable>(_ name: String) where Value == Wrapped? {
        self.init(erased: ErasedKey(KVKey<Wrapped>(name)))
    }

    /// Creates a property over a key.
    ///
    /// - Parameter key: The key of the value.
    public init<Key: KVKeyProtocol>(_ key: Key) where Key.Reading == Value {
        self.init(erased: ErasedKey(key))
    }

    /// Creates a property over a key for an optional type.
    ///
    /// - Parameter key: The key of the value.
    public init<Wrapped>(_ key: KVKey<Wrapped?>) where Value == Wrapped? {
        self.init(erased: ErasedKey(key))
    }

    /// Not for use: the value is that of a property in a class that conforms to ``KVSettings``.
    @available(
        *,
        unavailable,
        message: "@KVStored is for classes that conform to KVSettings; use @KVStorage elsewhere"
    )
    public var wrappedValue: Value {
        get { key.fallback }
        nonmutating set {}
    }

    /// Not for use: the handle is that of a property in a class that conforms to ``KVSettings``.
    @available(
        *,
        unavailable,
        message: "@KVStored is for classes that conform to KVSettings; use @KVStorage elsewhere"
    )
    public var projectedValue: KVHandle<Value> {
        KVHandle(link(in: .missing))
    }

    /// The value in the store of the object.
    public static subscript<Owner: KVSettings>(
        _enclosingInstance owner: Owner,
        wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        get { owner[keyPath: storage].link(in: owner.store).value }
        set { KVHandle(owner[keyPath: storage].link(in: owner.store)).value = newValue }
        _modify { yield &owner.store[owner[keyPath: storage].key] }
    }

    /// The handle on the key in the store of the object.
    public static subscript<Owner: KVSettings>(
        _enclosingInstance owner: Owner,
        projected _: KeyPath<Owner, KVHandle<Value>>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> KVHandle<Value> {
        KVHandle(owner[keyPath: storage].link(in: owner.store))
    }

    private func link(in store: ReactiveKVStore) -> ControlLink<Value> {
        ControlLink(erased: key, in: store, cells: cells)
    }
}
