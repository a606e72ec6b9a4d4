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
    public init<Key: KVKeyProtocol>(_ key: Key, in store: ReactiveKVStore)
    where Key.Reading == Reading {
        let core = Core(
            store: store,
            name: key.name,
            read: { stored in
                do {
                    return try key.reading(stored)
                } catch {
                    return key.fallback
                }
            },
            write: key.stored
        )
        self.core = core
        subscription = store.observedFeed.observe([key.name]) { [weak core] in core?.take($0) }
    }

    /// Creates a cell over a key for an optional type.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - store: The store to read, write and observe.
    public init<Wrapped>(_ key: KVKey<Wrapped?>, in store: ReactiveKVStore)
    where Reading == Wrapped? {
        let core = Core(
            store: store,
            name: key.name,
            read: { stored in
                do {
                    return try key.reading(stored) ?? nil
                } catch {
                    return nil
                }
            },
            write: { try key.stored($0) }
        )
        self.core = core
        subscription = store.observedFeed.observe([key.name]) { [weak core] in core?.take($0) }
    }

    /// The value of the key; the key's fallback where it is absent or cannot be read.
    ///
    /// Setting it writes to the store. A write that fails leaves the old value and hands its error
    /// to the handler of ``KVStoreError/setHandler(_:)``.
    public var value: Reading {
        get { core.value }
        set { core.value = newValue }
    }
}

extension KVObservedValue {
    /// What the handler of the subscription reaches without keeping the cell alive.
    private final class Core: Observable, Sendable {
        private struct State {
            var stored: PropertyListValue?
            /// The sequence number of the newest commit taken in, or nil before the first read.
            var sequence: UInt64?
            var reading: Reading?
        }

        private let registrar = ObservationRegistrar()
        private let state = Mutex(State())
        private let store: ReactiveKVStore
        private let name: String
        private let read: @Sendable (PropertyListValue?) -> Reading
        private let write: @Sendable (Reading) throws -> PropertyListValue?

        init(
            store: ReactiveKVStore,
            name: String,
            read: @escaping @Sendable (PropertyListValue?) -> Reading,
            write: @escaping @Sendable (Reading) throws -> PropertyListValue?
        ) {
            self.store = store
            self.name = name
            self.read = read
            self.write = write
        }

        var value: Reading {
            get {
                registrar.access(self, keyPath: \.value)
                return current()
            }
            set {
                KVStoreError.reporting { try store.setStoredValue(write(newValue), for: name) }
            }
        }

        /// Takes in a commit, unless a later one came first.
        func take(_ delivery: KVSubscription.Delivery) {
            guard let commit = delivery.commit else { return }
            let stored = delivery.values.first ?? nil
            registrar.withMutation(of: self, keyPath: \.value) {
                state.withLock { state in
                    guard commit.sequence > state.sequence ?? 0 else { return }
                    state = State(stored: stored, sequence: commit.sequence)
                }
            }
        }

        private func current() -> Reading {
            while true {
                let seen = state.withLock { $0 }
                if let reading = seen.reading { return reading }
                var stored = seen.stored
                if seen.sequence == nil {
                    do {
                        stored = try store.storedValue(for: name)
                    } catch {
                        // Asked again next time: the storage may be readable by then.
                        return read(nil)
                    }
                }
                // Decoding is the program's code, so it runs under no lock.
                let reading = read(stored)
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
    }
}
