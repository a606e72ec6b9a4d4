/// Stores on top of each other: the first that has a value gives it, and one of them is written.
///
/// ```swift
/// let file = try JSONFileKVStore(url: settingsURL)
/// let store = LayeredKVStore(InMemoryKVStore(arguments: CommandLine.arguments), file)
/// store.get(Keys.workers)                  // of `-workers 8`, or else of the file
/// try store.set(Keys.workers, value: 4)    // goes into the file
/// ```
///
/// It is the search list that `UserDefaults` has, of any stores: launch arguments, then what is
/// stored, then defaults.
///
/// **What is written.** The last of the unnamed layers, and no other: those before it and the
/// defaults are never changed through this store. It is also what `keys`, ``storedValues()``,
/// `contains` and `removeAll` speak of. A value that an earlier layer has too is stored and goes on
/// being hidden by it. Removing a key reveals the default.
///
/// **Transactions** are on the layer that is written, with everything that it promises, and read as
/// the store does, through all layers. A change computed from what was read, as by `update`, so
/// carries the value of an argument into the stored layer; call `update` on that layer where this
/// is not wanted. A value that a body has set reads so until it ends.
///
/// **Changes** are of what reads give, whichever layer changed: a change to a value that is hidden
/// is none, and one that reveals another layer's value reports it. The store observes if the layer
/// that is written does; another layer that does not counts as one that does not change.
public final class LayeredKVStore: KVStoring {
    private let store: ViewKVStore

    /// Creates a store of layers.
    ///
    /// - Parameters:
    ///   - first: The layer that has the say; the only one that is written if no other is given.
    ///   - others: The layers after it. The last of them is the one that is written.
    ///   - defaults: The values for keys that no other layer has.
    public init(
        _ first: any KVStoring,
        _ others: any KVStoring...,
        defaults: (any KVStoring)? = nil
    ) {
        var layers = [first] + others
        let written = layers.removeLast()
        let below = defaults.map { [$0] } ?? []
        store = ViewKVStore(StoreView(above: layers, below: below), of: written)
    }

    /// Returns the index of the layer that gives the value of a key, or nil if none does.
    ///
    /// Layers are counted from 0 in the order in which they were given, the defaults last.
    ///
    /// - Throws: ``KVStoreError`` if a layer cannot be read.
    public func layer<Key: KVKeyProtocol>(of key: Key) throws -> Int? {
        let layers = store.view.above + [store.base] + store.view.below
        return try layers.firstIndex { try $0.storedValue(for: key.name) != nil }
    }

    /// Returns the value of the first layer that has one, or nil.
    ///
    /// - Throws: ``KVStoreError`` if a layer cannot be read.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        try store.storedValue(for: name)
    }

    /// Returns all values of the layer that is written.
    ///
    /// - Throws: ``KVStoreError`` if it cannot be read.
    public func storedValues() throws -> [String: PropertyListValue] {
        try store.storedValues()
    }

    /// Stores a value in the layer that is written, or removes it there if it is nil.
    ///
    /// - Throws: What that layer throws; then nothing was stored.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try store.setStoredValue(value, for: name)
    }

    /// Returns whether the layer that is written has a value for a key.
    public func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool {
        store.contains(key)
    }

    /// Runs a body whose changes to the layer that is written are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try store.transaction(body)
    }

    /// Completes whatever the layer that is written has put off.
    ///
    /// - Throws: What that layer throws.
    public func flush() throws {
        try store.flush()
    }

    /// The changes of what reads give, or nil if the layer that is written does not observe.
    public var feed: (any KVFeed)? {
        store.feed
    }
}
