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
/// The file is one JSON object from key to value, with sorted keys, indented by two spaces. A
/// commit does not write it anew: it appends one line to a journal beside the file, so that its cost
/// does not grow with the number of keys. The file follows when the store pauses, at
/// ``KVStoring/flush()``, when the last store on it goes and when the program ends.
///
/// A process that is killed at any moment leaves a store that opens and has every commit that
/// returned. What survives a power loss is decided by ``Durability``.
///
/// Any number of stores and processes may have one file open: no commit is lost, and each sees the
/// others' commits with its next read. What a person changes in the file is taken in with the next
/// commit or ``KVStoring/flush()``, and at once while somebody observes; it wins over the journal for the keys that
/// were changed and leaves the others alone. While the file cannot be understood, the last good
/// values stay in force, commits go on in the journal, and the file is left to the person who is
/// editing it.
///
/// A symbolic link at the path stays one. A new file can be read and written by its owner only, an
/// existing one keeps its mode. Beside the file stand `….journal` and `….lock`, which belong to it:
/// copy or move all three together while no process has them open, and delete none of them.
public final class JSONFileKVStore: KVStoring {
    /// What a store does with a file that is no JSON object.
    public enum CorruptFilePolicy: Sendable {
        /// Opening throws, with the line and the column, and leaves the file as it is. If an open
        /// store's file goes bad, it is not written again until it is repaired.
        case fail
        /// The file is moved aside under a unique name, `….corrupt-…`, the last good state is in
        /// force, and the error goes to the handler of ``KVStoreError``. Without a journal there is
        /// no good state, and the store starts empty.
        case quarantine
    }

    /// What a commit survives when it has returned.
    public enum Durability: Sendable {
        /// The death of the process, but not a power loss just after: the commit is with the
        /// operating system, which writes it within seconds.
        case process
        /// A power loss too. The commit waits for the disk once, together with those that other
        /// threads make at the time.
        case power
    }

    private let domain: JSONFileDomain
    private let durability: Durability
    private let handle = HandleID()

    /// Opens the store in a file.
    ///
    /// A file that is missing is an empty store; it and its folders are made by the first commit.
    /// Opening and reading create nothing.
    ///
    /// - Parameters:
    ///   - url: Where the file is or will be. Links are followed now, not again later.
    ///   - whenCorrupt: What to do with a file that is no JSON object.
    ///   - durability: What the commits of this store object survive when they have returned.
    ///   - allowsRemoteVolume: Whether the file may be written on a network volume or one that a
    ///     program provides, where locks do not reach the other machines that share it. Only if
    ///     this machine alone uses the file.
    /// - Throws: ``KVStoreError``: ``KVStoreError/Code/unreadable`` if the file is there and cannot
    ///   be read, ``KVStoreError/Code/corrupt`` if it is no JSON object with legal keys,
    ///   ``KVStoreError/Code/newerFormat`` if a later version of this library wrote the journal.
    public init(
        url: URL,
        whenCorrupt: CorruptFilePolicy = .fail,
        durability: Durability = .process,
        allowsRemoteVolume: Bool = false
    ) throws {
        self.durability = durability
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
        if allowsRemoteVolume { domain.file.lock.allowRemoteVolume() }
        try domain.file.load(quarantining: whenCorrupt == .quarantine)
    }

    /// Returns the value stored under a name, or nil where there is none.
    ///
    /// - Throws: ``KVStoreError`` if the journal cannot be read any more.
    /// - Complexity: O(1), without a call to the operating system unless another process wrote.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        try domain.storedValue(for: name)
    }

    /// Returns all values by name.
    ///
    /// - Throws: ``KVStoreError`` if the journal cannot be read any more.
    public func storedValues() throws -> [String: PropertyListValue] {
        try domain.storedValues()
    }

    /// Stores a value under a name, or removes the name if the value is nil.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``; with
    ///   ``KVStoreError/Code/unwritable``, ``KVStoreError/Code/busy`` or
    ///   ``KVStoreError/Code/unsupportedFileSystem``, after which the files and the store are as
    ///   they were; with ``KVStoreError/Code/notDurable`` if the value is in force
    ///   but may not survive a power loss. `EncodingError` if the value is nested deeper than 128
    ///   levels.
    /// - Complexity: O(size of the value): one line is appended to the journal.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try domain.set(value, for: name, by: handle, isFlushed: durability == .power)
    }

    /// Runs a body whose changes are committed together or not at all.
    ///
    /// See ``KVAccessing/transaction(_:)``.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        let isFlushed = durability == .power
        return try TransactionEngine.run(
            on: domain,
            commit: { draft in try domain.commit(draft, by: handle, isFlushed: isFlushed) },
            body
        )
    }

    /// Takes in what others did to the file, and writes it if it lacks commits.
    ///
    /// Afterwards the file holds every commit, and so do the disks.
    ///
    /// - Throws: ``KVStoreError`` if the file cannot be understood or written; the values stay in
    ///   force and the commits in the journal.
    public func flush() throws {
        try domain.flush()
    }

    /// The commits made to the file, by whomever.
    public var feed: (any KVFeed)? {
        DomainFeed(domain, handle: handle)
    }
}
