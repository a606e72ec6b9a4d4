package import KVStore
import Synchronization

/// A key in a store, as a control of a user interface shows and sets it.
///
/// It is what a SwiftUI `Binding` and ``KVStorage`` are made of, and has all that they do.
package struct ControlLink<Value: Sendable>: Sendable {
    package let store: ReactiveKVStore
    let key: ErasedKey<Value>
    let cells: CellKeeper<Value>

    package init<Key: KVKeyProtocol>(_ key: Key, in store: ReactiveKVStore)
    where Key.Reading == Value {
        self.init(erased: ErasedKey(key), in: store, cells: CellKeeper())
    }

    package init<Wrapped>(_ key: KVKey<Wrapped?>, in store: ReactiveKVStore)
    where Value == Wrapped? {
        self.init(erased: ErasedKey(key), in: store, cells: CellKeeper())
    }

    init(erased key: ErasedKey<Value>, in store: ReactiveKVStore, cells: CellKeeper<Value>) {
        self.key = key
        self.store = store
        self.cells = cells
    }

    /// The value of the key; whoever reads it while tracking observation is told of changes.
    package var value: Value {
        cells.cell(for: key, in: store).value ?? key.fallback
    }

    /// Sets the value for a control, which may have changed a part of what it was shown.
    ///
    /// A control that is bound to a member of the value sets a whole value that it got by reading.
    /// If the stored value cannot be read, that is the fallback with a change on top, so nothing is
    /// written then. Errors go to the handler of ``KVStoreError/setHandler(_:)``.
    package func setByControl(_ value: Value) {
        KVStoreError.reporting {
            try store.update(key) { $0 = value }
        }
    }
}

/// Assignments that a control makes through a path of a settings object.
///
/// The setter of a ``KVStored`` property is called for `settings.appearance = new` and for a control
/// that is bound to `$settings.appearance.theme` alike. Only the second sets a value that it may have
/// got from a fallback, so it says so, on the thread on which the setter is called.
package enum ControlWrite {
    private static let threads = Mutex<Set<ThreadID>>([])

    /// Whether the present thread is in ``run(_:)``.
    static var isRunning: Bool {
        threads.withLock { $0.contains(.current) }
    }

    /// Runs an assignment as that of a control.
    package static func run(_ assign: () -> Void) {
        let isOutermost = threads.withLock { $0.insert(.current).inserted }
        assign()
        if isOutermost { threads.withLock { _ = $0.remove(.current) } }
    }
}

/// The observed cell of a ``ControlLink``, made when it is first read.
///
/// SwiftUI makes a view's value anew whenever its parent changes, and keeps this object across
/// that; the new value may have another key or another store.
final class CellKeeper<Value: Sendable>: Sendable {
    private struct Kept: Sendable {
        let cell: KVObservedValue<Value?>
        let name: String
        let store: ReactiveKVStore

        func isOver(_ key: ErasedKey<Value>, in store: ReactiveKVStore) -> Bool {
            self.store === store && name == key.name
        }
    }

    private let kept = Mutex<Kept?>(nil)

    /// Returns the cell over a key of a store, the same as before if they are.
    ///
    /// It reads as nil where nothing readable is stored: the fallback may change with each key.
    func cell(for key: ErasedKey<Value>, in store: ReactiveKVStore) -> KVObservedValue<Value?> {
        let present = kept.withLock { $0 }
        if let present, present.isOver(key, in: store) { return present.cell }
        let made = Kept(
            cell: KVObservedValue(erased: key.withoutFallback, in: store),
            name: key.name,
            store: store
        )
        let (current, displaced) = kept.withLock { kept -> (Kept, Kept?) in
            // A thread that was faster may already have told its observers of its cell.
            if let kept, kept.isOver(key, in: store) { return (kept, nil) }
            defer { kept = made }
            return (made, kept)
        }
        withExtendedLifetime((made, displaced)) {}  // Released under no lock: ends a subscription.
        return current.cell
    }
}
