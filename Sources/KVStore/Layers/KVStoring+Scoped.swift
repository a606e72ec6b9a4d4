extension KVStoring {
    /// Returns a store of the keys that begin with a prefix, under names without it.
    ///
    /// ```swift
    /// let flags = store.scoped(to: "flags.")
    /// try flags.set(KVKey<Bool>("beta"), value: true)  // "flags.beta" in the store
    /// try flags.removeAll()                            // nothing but what begins with "flags."
    /// ```
    ///
    /// The prefix is a boundary for everything: reads, listings, `removeAll`, transactions and
    /// streams see and touch nothing outside it, and the numbers of commits count those alone that
    /// change something inside. The values are the store's own, so other scopes and the store itself
    /// see them at once, and writing through any of them inside a transaction's body throws
    /// ``KVStoreError/Code/nestedWrite``. Scopes nest: their prefixes are joined.
    ///
    /// A prefix is plain text, most legible with a dot at its end; an empty one makes a scope of the
    /// whole store. The bytes of the prefix count towards the 4,096 that a name may have. A
    /// transaction that lists the scope, as `removeAll` does, relies on everything in the store, so
    /// it runs again when another writer changes a key outside the scope meanwhile.
    ///
    /// - Parameter prefix: What the names of the keys begin with.
    /// - Returns: A store that observes if this one does.
    public func scoped(to prefix: String) -> some KVStoring {
        ViewKVStore(StoreView(prefix: prefix), of: self)
    }
}
