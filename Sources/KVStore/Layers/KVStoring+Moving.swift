extension KVStoring {
    /// Copies stored values to another store, such as a `UserDefaults` domain into a JSON file.
    ///
    /// ```swift
    /// let left = try UserDefaultsKVStore().copy(to: JSONFileKVStore(url: settingsURL))
    /// ```
    ///
    /// Trees are copied as they are, in one commit, flushed and read back. What the destination has
    /// under the same name stays.
    ///
    /// - Parameters:
    ///   - keys: The keys to copy; all of this store's own if it is nil.
    ///   - destination: The store to copy to.
    /// - Returns: The names of keys for which the destination has another value, which it keeps.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/unwritable`` if the destination does not
    ///   give back what was stored; what either store throws.
    @discardableResult
    public func copy(
        _ keys: [any KVKeyProtocol]? = nil,
        to destination: some KVStoring
    ) throws -> Set<String> {
        let values = try values(of: keys)
        return try differences(copying: values, to: destination)
    }

    /// Moves stored values to another store: copies them, sees that they arrived, and removes them
    /// here.
    ///
    /// ```swift
    /// let left = try UserDefaultsKVStore().move([Keys.theme], to: groupStore)
    /// ```
    ///
    /// At every moment each value is in one of the stores or in both, so a move that a crash or an
    /// error ended is completed by running it again. A key for which the destination has another
    /// value, or whose value here changes meanwhile, is left as it is in both stores.
    ///
    /// - Parameters:
    ///   - keys: The keys to move; all of this store's own if it is nil.
    ///   - destination: The store to move to.
    /// - Returns: The names of keys that were left.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/nestedWrite`` if both stores are over one
    ///   domain, with ``KVStoreError/Code/unwritable`` if the destination does not give back what
    ///   was stored; what either store throws.
    @discardableResult
    public func move(
        _ keys: [any KVKeyProtocol]? = nil,
        to destination: some KVStoring
    ) throws -> Set<String> {
        // A store must not remove what it has just "copied" to itself.
        try transaction { _ in try destination.transaction { _ in } }
        let values = try values(of: keys)
        let differences = try differences(copying: values, to: destination)
        return try transaction { transaction in
            var left = differences
            for (name, value) in values where !differences.contains(name) {
                if try transaction.storedValue(for: name) == value {
                    try transaction.setStoredValue(nil, for: name)
                } else {
                    left.insert(name)
                }
            }
            return left
        }
    }

    private func values(of keys: [any KVKeyProtocol]?) throws -> [String: PropertyListValue] {
        let values = try storedValues()
        guard let keys else { return values }
        var chosen: [String: PropertyListValue] = [:]
        for key in keys { chosen[key.name] = values[key.name] }
        return chosen
    }

    /// Copies values where the destination has none, and returns the names where it has others.
    private func differences(
        copying values: [String: PropertyListValue],
        to destination: some KVStoring
    ) throws -> Set<String> {
        let differences = try destination.transaction { transaction in
            let present = try transaction.storedValues()
            var differences: Set<String> = []
            for (name, value) in values {
                if let other = present[name] {
                    if other != value { differences.insert(name) }
                } else {
                    try transaction.setStoredValue(value, for: name)
                }
            }
            return differences
        }
        try destination.flush()
        let arrived = try destination.storedValues()
        for (name, value) in values where !differences.contains(name) && arrived[name] != value {
            throw KVStoreError(
                .unwritable,
                reason: "The store that values were copied to does not give this one back. "
                    + "It stays where it was.",
                key: name
            )
        }
        return differences
    }
}
