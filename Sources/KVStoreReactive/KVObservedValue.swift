public import KVStore
public import Observation
import Synchronization

/// An observable cell over one key: SwiftUI and `withObservationTracking` follow it, on Linux too.
///
/// ```swift
/// let size = KVObservedValue(Keys.fontSize, in: store)
/// withObservationTracking {
///     label.fontSize = size.value
/// } onChange: {
///     scheduleUpdate()
/// }
/// size.value += 1  // goes to the store
/// ```
///
/// The cell reads the store once, when its value is first asked for, and is then kept current by
/// the store's commits, whoever makes them: a read gives the value of every write that has
/// returned. It decodes a value once per change. Observers are told once per change, on the thread
/// of the writer; a write of an equal value tells nobody.
///
/// The cell may be used from any thread. It holds its store and stops following when it goes.
public final class KVObservedValue<Reading: Sendable>: Observable, Sendable {
    private let core: Core
    private let subscription: KVSubscription

    /// Creates a cell over a key.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - store: The store to read, write and observe.
    public convenience init<Key: KVKeyProtocol>(_ key: Key, in store: ReactiveKVStore)
    where Key.Reading == Reading {
        self.init(erased: ErasedKey(key), in: store)
    }

    /// Creates a cell over a key for an optional type.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - store: The store to read, write and observe.
    public convenience init<Wrapped>(_ key: KVKey<Wrapped?>, in store: ReactiveKVStore)
    where Reading == Wrapped? {
        self.init(erased: ErasedKey(key), in: store)
    }

    init(erased key: ErasedKey<Reading>, in store: ReactiveKVStore) {
        let core = Core(key, in: store)
        self.core = core
        subscription = store.observedFeed.observe([key.name]) { [weak core] in core?.take($0) }
    }

    /// The value of the key; the key's fallback where it is absent or cannot be read.
    ///
    /// Setting it writes to the store. A write that fails leaves the old value and hands its error
    /// to the handler of ``KVStoreError/setHandler(_:)``. A change in place is a read and a write,
    /// and writes nothing over a stored value that cannot be read.
    public var value: Reading {
        get { core.value }
        set { core.store[core.key] = newValue }
        _modify { yield &core.store[core.key] }
    }
}

extension KVObservedValue {
    /// What the handler of the subscription reaches without keeping the cell alive.
    private final class Core: Sendable {
        private struct State: Sendable {
            var stored: PropertyListValue?
            /// The sequence number of the newest commit taken in, or nil before the first read.
            var sequence: UInt64?
            var reading: Reading?
        }

        let key: ErasedKey<Reading>
        let store: ReactiveKVStore
        private let signal = ChangeSignal()
        private let state = Mutex(State())

        init(_ key: ErasedKey<Reading>, in store: ReactiveKVStore) {
            self.key = key
            self.store = store
        }

        var value: Reading {
            signal.access()
            return current()
        }

        /// Takes in a commit, unless a later one came first.
        func take(_ delivery: KVSubscription.Delivery) {
            guard let commit = delivery.commit else { return }
            let stored = delivery.values.first ?? nil
            let old = state.withLock { state -> State? in
                guard commit.sequence > state.sequence ?? 0 else { return nil }
                defer { state = State(stored: stored, sequence: commit.sequence) }
                return state
            }
            guard let old else { return }
            withExtendedLifetime(old) {}  // Released under no lock: it may be the program's.
            // Observers are told afterwards: one that reads at once, on another thread or in its
            // handler, must not get the old value and then hear no more.
            signal.tell()
        }

        private func current() -> Reading {
            while true {
                let seen = state.withLock { $0 }
                if let reading = seen.reading { return reading }
                var stored = seen.stored
                if seen.sequence == nil {
                    do {
                        stored = try store.storedValue(for: key.name)
                    } catch {
                        // Asked again next time: the storage may be readable by then.
                        return key.fallback
                    }
                }
                // Decoding is the program's code, so it runs under no lock.
                let reading = decode(stored)
                let isCurrent = state.withLock { state in
                    guard state.sequence == seen.sequence else { return false }
                    state = State(
                        stored: stored,
                        sequence: seen.sequence ?? 0,
                        reading: reading
                    )
                    return true
                }
                if isCurrent { return reading }
            }
        }

        private func decode(_ stored: PropertyListValue?) -> Reading {
            do {
                return try key.reading(stored)
            } catch {
                return key.fallback
            }
        }
    }
}

/// What observers of a cell are registered with.
///
/// It is not generic, because a key path into a generic type is made anew wherever it is written,
/// which costs more than all the rest of a read.
private final class ChangeSignal: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private var state: Void { () }

    func access() {
        registrar.access(self, keyPath: \.state)
    }

    func tell() {
        registrar.withMutation(of: self, keyPath: \.state) {}
    }
}
