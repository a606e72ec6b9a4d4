extension KVAccessing {
    /// Returns the value of a key; the fallback if it is absent or cannot be read.
    ///
    /// The fallback is nil for a ``KVKey`` and the default for a ``KVDefaultKey``. Use
    /// `value(for:)` to tell an absent value from an unreadable one.
    @inlinable
    @inline(__always)
    public func get<Key: KVKeyProtocol>(_ key: Key) -> Key.Reading {
        do {
            return try key.reading(storedValue(for: key.name))
        } catch {
            return key.fallback
        }
    }

    /// Returns the value of a key for an optional type; nil if it is absent or cannot be read.
    @inlinable
    @inline(__always)
    public func get<Wrapped>(_ key: KVKey<Wrapped?>) -> Wrapped? {
        do {
            return try value(for: key)
        } catch {
            return nil
        }
    }

    /// Returns the value of a key, and tells an absent value from one that cannot be read.
    ///
    /// - Returns: The value; where none is stored, nil or the default.
    /// - Throws: `DecodingError` with a coding path if the stored value cannot be read as the key's
    ///   type; ``KVStoreError`` if the storage itself cannot be read.
    @inlinable
    public func value<Key: KVKeyProtocol>(for key: Key) throws -> Key.Reading {
        try key.reading(storedValue(for: key.name))
    }

    /// Returns the value of a key for an optional type, and tells nil from what cannot be read.
    ///
    /// - Returns: The value, or nil where none is stored.
    /// - Throws: `DecodingError` with a coding path if the stored value cannot be read as the key's
    ///   type; ``KVStoreError`` if the storage itself cannot be read.
    @inlinable
    @inline(__always)
    public func value<Wrapped>(for key: KVKey<Wrapped?>) throws -> Wrapped? {
        guard let reading = try key.reading(storedValue(for: key.name)) else { return nil }
        return reading
    }

    /// Stores a value; nil, for a key of an optional type, removes the key.
    ///
    /// When the call returns, every read gives the new value, and it is as durable as the store
    /// promises. A failure leaves the old value in place.
    ///
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws; ``KVStoreError``
    ///   with ``KVStoreError/Code/invalidKey``, or why the storage could not be written.
    @inlinable
    @inline(__always)
    public func set<Key: KVKeyProtocol>(_ key: Key, value: Key.Value) throws {
        try setStoredValue(key.stored(value: value), for: key.name)
    }

    /// Removes a key and its value; an absent key is no error and no change.
    ///
    /// - Throws: ``KVStoreError`` if the storage could not be written.
    public func remove<Key: KVKeyProtocol>(_ key: Key) throws {
        try setStoredValue(nil, for: key.name)
    }

    /// Returns whether anything is stored under a key, readable as its type or not.
    ///
    /// An explicit nil counts. A store that cannot be read contains nothing. In a layered store it
    /// is the layer that is written which counts.
    public func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool {
        do {
            return try storedValue(for: key.name) != nil
        } catch {
            return false
        }
    }

    /// Returns the names of all keys in the store's own domain, in no particular order.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read.
    public func keys() throws -> [String] {
        try Array(storedValues().keys)
    }

    /// Removes every key of the store's own domain, in one commit.
    ///
    /// - Throws: ``KVStoreError`` if the storage could not be written; then nothing was removed.
    public func removeAll() throws {
        try transaction { transaction in
            for name in try transaction.keys() {
                try transaction.setStoredValue(nil, for: name)
            }
        }
    }

    // `update` names its result before its key: that order makes the compiler prefer the overload
    // below where a key of an optional type comes with a body that fits both.

    /// Changes the value of a key by a body that reads and writes it as one step.
    ///
    /// ```swift
    /// try store.update(Keys.launchCount) { $0 += 1 }
    /// try store.update(Keys.draft) { $0 = nil }  // removes the key
    /// ```
    ///
    /// No other writer comes in between, whichever thread it is on and, where the store's medium is
    /// shared, whichever process. It is a ``KVAccessing/transaction(_:)`` over one key: the body
    /// runs under no lock and may run more than once.
    ///
    /// - Parameters:
    ///   - key: The key to change.
    ///   - body: Changes the value it gets in place: `inout Value?` for a ``KVKey``, where nil is
    ///     absent and removes, and `inout Value` for a ``KVDefaultKey``.
    /// - Returns: What the body returns.
    /// - Throws: `DecodingError` if the stored value cannot be read, and then leaves it untouched;
    ///   what the body throws; and what ``KVAccessing/transaction(_:)`` throws.
    public func update<Result, Key: KVKeyProtocol>(
        _ key: Key,
        _ body: (inout Key.Reading) throws -> Result
    ) throws -> Result {
        try transaction { transaction in
            var value = try key.reading(transaction.onlyStoredValue(for: key.name))
            let result = try body(&value)
            try transaction.setStoredValue(key.stored(value), for: key.name)
            return result
        }
    }

    /// Changes the value of a key for an optional type by a body that works as one step.
    ///
    /// - Parameters:
    ///   - key: The key to change.
    ///   - body: Changes the value it gets in place; nil is absent and removes.
    /// - Returns: What the body returns.
    /// - Throws: `DecodingError` if the stored value cannot be read, and then leaves it untouched;
    ///   what the body throws; and what ``KVAccessing/transaction(_:)`` throws.
    public func update<Wrapped, Result>(
        _ key: KVKey<Wrapped?>,
        _ body: (inout Wrapped?) throws -> Result
    ) throws -> Result {
        try update(key) { (reading: inout Wrapped??) in
            var value = reading ?? nil
            let result = try body(&value)
            reading = .some(value)
            return result
        }
    }
}
