#if SwiftUI && canImport(SwiftUI)
public import KVStore
public import SwiftUI

extension ReactiveKVStore {
    /// Returns a binding to a key's value, for a control.
    ///
    /// ```swift
    /// Stepper("Font size", value: store.binding(Keys.fontSize))
    /// ```
    ///
    /// A view that makes the binding in its body is rendered again whenever the value changes,
    /// whoever changes it. Nil, for a key that may be absent, removes. A write that fails leaves
    /// the old value and hands its error to the handler of ``KVStoreError/setHandler(_:)``.
    ///
    /// The value may be set from a control for a member of it, so a binding never writes over a
    /// stored value that cannot be read: it reports that. Assign or remove the key by the store.
    ///
    /// Type-checked and run against a stand-in of SwiftUI on Linux only.
    ///
    /// - Parameter key: The key of the value.
    /// - Returns: A binding that follows the key as long as it is kept.
    public nonisolated func binding<Key: KVKeyProtocol>(_ key: Key) -> Binding<Key.Reading> {
        ControlLink(key, in: self).binding
    }

    /// Returns a binding to the value of a key for an optional type.
    ///
    /// - Parameter key: The key of the value.
    /// - Returns: A binding that follows the key as long as it is kept.
    public nonisolated func binding<Wrapped>(_ key: KVKey<Wrapped?>) -> Binding<Wrapped?> {
        ControlLink(key, in: self).binding
    }
}

extension KVHandle {
    /// A binding to the value, for a control; it sets as ``ReactiveKVStore/binding(_:)`` does.
    ///
    /// Type-checked and run against a stand-in of SwiftUI on Linux only.
    public var binding: Binding<Value> {
        link.binding
    }
}

extension Bindable where Value: KVSettings {
    /// A binding to a property of a settings object, for a control.
    ///
    /// ```swift
    /// struct SettingsView: View {
    ///     @Bindable var settings: Settings
    ///
    ///     var body: some View {
    ///         Stepper("Launches", value: $settings.launchCount)
    ///     }
    /// }
    /// ```
    ///
    /// It is SwiftUI's own, but for one thing: set by a control for a member of the value, it never
    /// writes over a stored value that cannot be read, and reports that.
    ///
    /// Type-checked and run against a stand-in of SwiftUI on Linux only.
    ///
    /// - Parameter path: The path of the property.
    /// - Returns: A binding that keeps the object.
    public subscript<Subject: Sendable>(
        dynamicMember path: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        let binding = plainBinding(to: path, of: self)
        return Binding {
            binding.wrappedValue
        } set: { value in
            ControlWrite.run { binding.wrappedValue = value }
        }
    }
}

/// Returns the binding that SwiftUI makes for any object.
private func plainBinding<Object: AnyObject, Subject>(
    to path: ReferenceWritableKeyPath<Object, Subject>,
    of object: Bindable<Object>
) -> Binding<Subject> {
    object[dynamicMember: path]
}

extension EnvironmentValues {
    /// The store of the ``KVStorage`` properties that name none.
    ///
    /// ```swift
    /// SettingsView().environment(\.kvStore, store)
    /// ```
    ///
    /// Where none is set, reads give defaults, and writes are refused and reported: nothing is kept
    /// that would be lost when the program ends.
    public var kvStore: ReactiveKVStore {
        get { self[StoreKey.self] }
        set { self[StoreKey.self] = newValue }
    }
}

private struct StoreKey: EnvironmentKey {
    static var defaultValue: ReactiveKVStore { .missing }
}

extension KVStorage: DynamicProperty {
    /// Creates a property with a default, in the store of the view's environment.
    ///
    /// - Parameters:
    ///   - wrappedValue: What a read gives where nothing readable is stored.
    ///   - name: The name of the key; see ``KVKey/init(_:)`` for legal names.
    public init(wrappedValue: Value, _ name: String) where Value: Codable {
        self.init(erased: ErasedKey(KVDefaultKey(name, default: wrappedValue)), store: nil)
    }

    /// Creates a property that is nil where nothing readable is stored in the environment's store.
    ///
    /// - Parameter name: The name of the key; see ``KVKey/init(_:)`` for legal names.
    public init<Wrapped: Codable>(_ name: String) where Value == Wrapped? {
        self.init(erased: ErasedKey(KVKey<Wrapped>(name)), store: nil)
    }

    /// Creates a property over a key, in the store of the view's environment.
    ///
    /// - Parameter key: The key of the value.
    public init<Key: KVKeyProtocol>(_ key: Key) where Key.Reading == Value {
        self.init(erased: ErasedKey(key), store: nil)
    }

    /// Creates a property over a key for an optional type, in the store of the view's environment.
    ///
    /// - Parameter key: The key of the value.
    public init<Wrapped>(_ key: KVKey<Wrapped?>) where Value == Wrapped? {
        self.init(erased: ErasedKey(key), store: nil)
    }

    /// Creates a property over a key of ``KVKeys``, in the store of the view's environment.
    ///
    /// - Parameter path: The path of the key.
    public init<Key: KVKeyProtocol>(_ path: KeyPath<KVKeys, Key>) where Key.Reading == Value {
        self.init(erased: KVKeys.key(at: path), store: nil)
    }

    /// Creates a property over a key of ``KVKeys`` for an optional type, in the store of the view's
    /// environment.
    ///
    /// - Parameter path: The path of the key.
    public init<Wrapped>(_ path: KeyPath<KVKeys, KVKey<Wrapped?>>) where Value == Wrapped? {
        self.init(erased: KVKeys.key(at: path), store: nil)
    }
}

/// What a view has for each of its ``KVStorage`` properties.
///
/// State and environment exist inside of views only, so nothing here may be read before SwiftUI has
/// asked the property to update.
struct ViewAnchor<Value: Sendable>: DynamicProperty, Sendable {
    @State var cells: CellKeeper<Value>
    @Environment(\.kvStore) var store

    init(_ cells: CellKeeper<Value>) {
        _cells = State(initialValue: cells)
    }
}

extension ControlLink {
    var binding: Binding<Value> {
        // Read here, so that the body in which the binding is made is told of changes.
        _ = value
        return Binding(get: { value }, set: { setByControl($0) })
    }
}
#endif
