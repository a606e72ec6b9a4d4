public import KVStore

/// A change of one key, with its typed values before and after.
///
/// ```swift
/// for await change in store.changes(Keys.theme) {
///     log("theme: \(change.old ?? .system) -> \(change.new ?? .system), by \(change.origin)")
/// }
/// ```
public struct KVChange<Reading: Sendable>: Sendable {
    /// What a read gave before the change; the key's fallback where that could not be read.
    public let old: Reading
    /// What a read gives after the change; the key's fallback where that cannot be read.
    public let new: Reading
    /// Why the new value cannot be read as the key's type, or nil if it can or was removed.
    public let newError: DecodingError?
    /// The commit that made the change.
    public let commit: KVCommit
}
