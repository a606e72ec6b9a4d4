#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store in a JSON file that people can read and edit and several processes can write.
///
/// ```swift
/// let store = try JSONFileKVStore(url: folder.appending(path: "settings.json"))
/// try store.set(Keys.fontSize, value: 13)
/// ```
///
/// The file is one JSON object from key to value, with sorted keys, indented by two spaces. It is
/// replaced as a whole by each commit, so that a crash at any moment leaves the old values or the
/// new ones, and a commit that returned survives a power loss.
///
/// Any number of stores and processes may have one file open: no commit is lost, and each sees the
/// others' values with its next read. An edit by hand is taken in as soon as it is saved; while the
/// file cannot be understood, the last good values stay in force, writes throw
/// ``KVStoreError/Code/corrupt``, and the file is left to the person who is editing it.
///
/// A symbolic link at the path stays one. A new file can be read and written by its owner only, an
/// existing one keeps its mode. Beside the file stands one named `….lock`, which must not be
/// deleted while the store is in use.
public final class JSONFileKVStore: KVStoring {
    /// What opening a store does with a file that is no JSON object.
    public enum CorruptFilePolicy: Sendable {
        /// Opening throws, with the line and the column, and leaves the file as it is.
        case fail
        /// The file is moved aside under a unique name, `….corrupt-…`, the store starts empty, and
        /// the error goes to the handler of ``KVStoreError``.
        case quarantine
    }

    private let domain: JSONFileDomain
    private let handle = HandleID()

    /// Opens the store in a file.
    ///
    /// A file that is missing is an empty store; it and its folders are made by the first commit.
    /// Opening and reading create nothing.
    ///
    /// - Parameters:
    ///   - url: Where the file is or will be. Links are followed now, not again later.
    ///   - whenCorrupt: What to do with a file that is no JSON object.
    /// - Throws: ``KVStoreError``: ``KVStoreError/Code/unreadable`` if the file is there and cannot
    ///   be read, ``KVStoreError/Code/corrupt`` if it is no JSON object with legal keys.
    public init(url: URL, whenCorrupt: CorruptFilePolicy = .fail) throws {
        guard url.isFileURL else {
            throw KVStoreError(.unreadable, reason: "The URL is not one of a file.")
        }
        let path = url.absoluteURL.path(percentEncoded: false)
        do {
            domain = try JSONFileRegistry.domain(at: path)
        } catch {
            throw KVStoreError(
                .unreadable,
                reason: "\(error). Nothing was changed.",
                file: path,
                underlyingError: error
            )
        }
        try domain.load(quarantining: whenCorrupt == .quarantine)
    }

    /// Returns the value stored under a name, or nil where there is none.
    ///
    /// - Complexity: O(1), and O(number of keys) for the first read after another process wrote.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        domain.storedValue(for: name)
    }

    /// Returns all values by name.
    public func storedValues() throws -> [String: PropertyListValue] {
        domain.storedValues()
    }

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``; with
    ///   ``KVStoreError/Code/unwritable``, ``KVStoreError/Code/corrupt`` or
    ///   ``KVStoreError/Code/busy``, after which the file and the store are as they were; with
    ///   ``KVStoreError/Code/notDurable`` if the value is stored but may not survive a power loss.
    ///   `EncodingError` if the value is nested deeper than 128 levels.
    /// - Complexity: O(number of keys): the file is written anew.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try domain.set(value, for: name, by: handle)
    }

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try TransactionEngine.run(on: domain, by: handle, body)
    }

    /// Takes in what others did to the file.
    ///
    /// Commits are in the file when they return, so there is nothing to write.
    ///
    /// - Throws: ``KVStoreError`` if the file cannot be read; the values stay in force.
    public func flush() throws {
        try domain.flush()
    }

    /// The commits made to the file, by whomever.
    public var feed: (any KVFeed)? {
        DomainFeed(domain, handle: handle)
    }
}
