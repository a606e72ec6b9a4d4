/// A key-value store: the type to inject into what uses preferences.
///
/// ```swift
/// final class Preferences: Sendable {
///     private let store: any KVStoring
///     init(store: any KVStoring) { self.store = store }
///     var fontSize: Double { store.get(Keys.fontSize) ?? 16 }
/// }
/// let live = Preferences(store: UserDefaultsKVStore())
/// let test = Preferences(store: InMemoryKVStore())
/// ```
///
/// Stores are synchronous and may be used from any thread. The typed calls come with
/// ``KVAccessing``; a new medium is easiest built as a ``KVBackend``. A type that wraps another
/// store forwards each requirement; ``feed`` has no default so that a wrapper cannot silently stop
/// observing.
public protocol KVStoring: KVAccessing, Sendable {
    /// Completes whatever the store has put off, such as a coalesced write.
    ///
    /// When it returns, everything written before the call is where the store keeps it.
    ///
    /// - Throws: ``KVStoreError`` if something could not be written; the values stay in force and
    ///   the next flush tries again.
    func flush() throws

    /// The commits made to the store's domain, or nil if the store does not observe.
    ///
    /// A wrapper forwards the feed of the store it wraps. Over a store without a feed,
    /// `ReactiveKVStore` reports the writes that are made through itself.
    var feed: (any KVFeed)? { get }
}
