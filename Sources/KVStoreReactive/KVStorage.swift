public import KVStore

#if SwiftUI && canImport(SwiftUI)
public import SwiftUI
#endif

/// A property whose value is in a store: in views, in structs and classes, and in functions.
///
/// ```swift
/// struct Mailer {
///     @KVStorage("workers", store: settings) var workers = 4
///     @KVStorage("sender", store: settings) var sender: String?
///     @KVStorage(Keys.retries, store: settings) var retries
/// }
/// ```
///
/// Reading gives what is stored, whoever wrote it, and the default or nil where nothing readable
/// is. The default is never written. Assigning stores, and nil removes; an assignment that fails
/// leaves the old value and hands its error to the handler of ``KVStoreError/setHandler(_:)``. A
/// change in place (`workers += 1`) is a read and a write, not one step, and writes nothing over a
/// stored value that cannot be read; use `update` of the store for a counter.
///
/// Whoever reads the property while tracking observation (a SwiftUI view, `withObservationTracking`)
/// is told of each change, on the thread of the writer. To be able to, the wrapper follows its key
/// from the first read on, as long as one of its copies lives.
///
/// **In SwiftUI views.** The wrapper is a `DynamicProperty`. In a view the store may be left out: it
/// is then the one of the environment's `kvStore`. The projected value is a `Binding`:
///
/// ```swift
/// struct SettingsView: View {
///     @KVStorage("launchCount") private var launchCount = 0
///
///     var body: some View {
///         Stepper("Launches: \(launchCount)", value: $launchCount)
///     }
/// }
/// ```
///
/// The SwiftUI part was type-checked and run against stand-ins of SwiftUI on Linux only.
@propertyWrapper
public struct KVStorage<Value: Sendable>: Sendable {
    /// The key and its store.
    private(set) var link: ControlLink<Value>

    #if SwiftUI && canImport(SwiftUI)
    /// What SwiftUI keeps and provides, if the wrapper is in a view.
    private var anchor: ViewAnchor<Value>
    /// Whether the store is that of the environment.
    private let followsEnvironment: Bool

    init(erased key: ErasedKey<Value>, store: ReactiveKVStore?) {
        let cells = CellKeeper<Value>()
        link = ControlLink(erased: key, in: store ?? .missing, cells: cells)
        anchor = ViewAnchor(cells)
        followsEnvironment = store == nil
    }

    /// Takes what SwiftUI has kept or changed since the view's last rendering.
    ///
    /// SwiftUI calls this before it renders the view.
    public mutating func update() {
        link = ControlLink(
            erased: link.key,
            in: followsEnvironment ? anchor.store : link.store,
            cells: anchor.cells
        )
    }
    /// A binding to the value, for a control; it sets as ``ReactiveKVStore/binding(_:)`` does.
    public var projectedValue: Binding<Value> {
        link.binding
    }
    #else
    init(erased key: ErasedKey<Value>, store: ReactiveKVStore) {
        link = ControlLink(erased: key, in: store, cells: CellKeeper())
    }
    #endif

    /// Creates a property with a default.
    ///
    /// - Parameters:
    ///   - wrappedValue: What a read gives where nothing readable is stored.
    ///   - name: The name of the key; see ``KVKey/init(_:)`` for legal names.
    ///   - store: The store to read, write and follow.
    public init(wrappedValue: Value, _ name: String, store: ReactiveKVStore) where Value: Codable {
        self.init(erased: ErasedKey(KVDefaultKey(name, default: wrappedValue)), store: store)
    }

    /// Creates a property that is nil where nothing readable is stored.
    ///
    /// - Parameters:
    ///   - name: The name of the key; see ``KVKey/init(_:)`` for legal names.
    ///   - store: The store to read, write and follow.
    public init<Wrapped: Codable>(_ name: String, store: ReactiveKVStore)
    where Value == Wrapped? {
        self.init(erased: ErasedKey(KVKey<Wrapped>(name)), store: store)
    }

    /// Creates a property over a key.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - store: The store to read, write and follow.
    public init<Key: KVKeyProtocol>(_ key: Key, store: ReactiveKVStore)
    where Key.Reading == Value {
        self.init(erased: ErasedKey(key), store: store)
    }

    /// Creates a property over a key for an optional type.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - store: The store to read, write and follow.
    public init<Wrapped>(_ key: KVKey<Wrapped?>, store: ReactiveKVStore)
    where Value == Wrapped? {
        self.init(erased: ErasedKey(key), store: store)
    }

    /// The value in the store; the default or nil where nothing readable is stored.
    public var wrappedValue: Value {
        get { link.value }
        nonmutating set { link.store[link.key] = newValue }
        nonmutating _modify { yield &link.store[link.key] }
    }
}

extension ReactiveKVStore {
    /// The store of views whose environment has none.
    package static let missing = ReactiveKVStore(MissingStore())
}
