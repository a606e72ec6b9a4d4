extension KVAccessing {
    /// The value of a key, for reading, assigning and changing in place.
    ///
    /// ```swift
    /// store[Keys.theme] = .dark
    /// store[Keys.theme] = nil        // removes the key
    /// store[Keys.launchCount] += 1   // a read and a write: not atomic
    /// ```
    ///
    /// A change in place reads, changes and writes in three steps, so concurrent ones may lose each
    /// other; use `update(_:_:)` for a counter. A subscript cannot throw: a failed write leaves
    /// the old value and hands its error to the handler of ``KVStoreError/setHandler(_:)``. A
    /// change in place over a stored value that cannot be read writes nothing and reports that too,
    /// so a value is never replaced by a default with a change on top.
    @inlinable
    public subscript<Key: KVKeyProtocol>(key: Key) -> Key.Reading {
        get { get(key) }
        nonmutating set {
            KVStoreError.reporting { try setStoredValue(key.stored(newValue), for: key.name) }
        }
        nonmutating _modify {
            var reading = key.fallback
            let wasRead = KVStoreError.reporting { reading = try value(for: key) }
            yield &reading
            if wasRead {
                KVStoreError.reporting { try setStoredValue(key.stored(reading), for: key.name) }
            }
        }
    }

    /// The value of a key for an optional type, for reading, assigning and changing in place.
    ///
    /// Assigning nil removes the key. Failures are handled as `subscript(_:)` says.
    @inlinable
    public subscript<Wrapped>(key: KVKey<Wrapped?>) -> Wrapped? {
        get { get(key) }
        nonmutating set {
            KVStoreError.reporting { try setStoredValue(key.stored(newValue), for: key.name) }
        }
        nonmutating _modify {
            var reading: Wrapped?
            let wasRead = KVStoreError.reporting { reading = try value(for: key) }
            yield &reading
            if wasRead {
                KVStoreError.reporting { try setStoredValue(key.stored(reading), for: key.name) }
            }
        }
    }
}
