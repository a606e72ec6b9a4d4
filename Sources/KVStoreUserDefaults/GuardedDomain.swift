#if !canImport(Darwin)
import Foundation
import KVStore
import Synchronization

/// Carries out what ``DomainGuard`` decides, around each use of `UserDefaults` that writes.
///
/// A commit is one cycle under the lock of the preferences folder: the file is made whole and its
/// backup equal to it; `UserDefaults` writes out what other code of the program set, and reads what
/// other processes wrote; the expectation is compared; the new file is put in place together with
/// its backup, by renaming, so that no moment leaves half a file; `UserDefaults` reads it. There is
/// one lock for the folder because `synchronize()` writes every domain of the process.
///
/// The file is not written by `UserDefaults`, which would write it in place, take an equal value of
/// another kind for no change, and be quadratic in the number of keys. Where `UserDefaults` turns
/// out not to have read the file, as on a system that keeps it elsewhere, the values are set in the
/// ordinary way.
final class GuardedDomain: SuiteKeeper {
    private let defaults: SuiteDefaults
    private let name: String
    private let folder: String
    private let system: any FileSystem
    /// The path of the domain's file, which may be a link.
    private let path: String
    private let lock: FileLock
    /// Lets one use of the file at a time into it, or one commit that is put off.
    private let cycle = WriterGate()
    let state = Mutex(State())

    struct State {
        /// The domain's file as `UserDefaults` last read it; nil if there was none.
        fileprivate var seen: FileStatus?
        /// Whether it was another one since observers last asked.
        fileprivate var hasNews = false
        /// What was put off: in force, and not yet known to be written.
        var pending: [String: PropertyListValue?] = [:]
        /// Whether a time was set for writing it.
        var isScheduled = false
    }

    init(
        _ suite: SuiteName,
        _ defaults: SuiteDefaults,
        in folder: String = PreferencesFolder.path,
        on system: any FileSystem = PosixFileSystem()
    ) {
        self.defaults = defaults
        self.folder = folder
        self.system = system
        name = suite.fileName
        path = "\(folder)/\(name).plist"
        lock = FileLock("\(folder)/.kvstore-userdefaults.lock", on: system)
    }

    func open() throws {
        let files: DomainFiles
        do {
            files = try DomainFiles(name: name, in: folder, on: system)
        } catch {
            throw unreadable("The links to it lead nowhere.", error)
        }
        let status = try? files.status()
        switch files.look(at: files.main) {
        case .absent, .whole: break
        case .damaged: try locked { _ = try heal(files) }
        case .unreadable(let error): throw unreadable("The system does not let it be read.", error)
        case .special: throw unreadable("It is not a regular file.", nil)
        }
        defaults.locked { $0.touch() }
        state.withLock { $0.seen = status }
    }

    func commit(
        expecting: KVExpectation,
        changes: [String: PropertyListValue?],
        isPutOff: Bool
    ) throws -> Bool {
        if isPutOff, changes.count <= Self.mostPending {
            return try cycle.pass { try putOff(changes, expecting: expecting) }
        }
        // Checked before anything is written.
        _ = try PropertyListBoxing.boxed(changes)
        return try locked {
            let files = try DomainFiles(name: name, in: folder, on: system)
            var contents = try heal(files)
            // What other code set is its own to lose: if it cannot be written, it stays in memory.
            _ = try synchronize(files, &contents)
            remember(files)
            guard try defaults.locked({ try expecting.isMet(by: $0) }) else { return false }
            try write(changes, over: contents, in: files)
            return true
        }
    }

    /// Puts changes into force in memory alone.
    private func putOff(
        _ changes: [String: PropertyListValue?],
        expecting: KVExpectation
    ) throws -> Bool {
        let objects = try PropertyListBoxing.boxed(changes)
        let isMet = try defaults.locked { defaults in
            guard try expecting.isMet(by: defaults) else { return false }
            for (name, object) in objects { defaults.setObject(object, name) }
            return true
        }
        if isMet { notePending(changes) }
        return isMet
    }

    /// Writes what was put off and changes that came after it, as one new file.
    private func write(
        _ changes: [String: PropertyListValue?],
        over contents: DomainFiles.Contents?,
        in files: DomainFiles
    ) throws {
        let all = state.withLock { $0.pending }.merging(changes) { $1 }
        let objects = try PropertyListBoxing.boxed(all)
        if try replace(objects, of: contents, in: files) {
            var contents = contents
            _ = try synchronize(files, &contents)
            try check(all, objects)
            remember(files, isOwn: true)
        }
        state.withLock { $0.pending = [:] }
    }

    func refresh(forObservers: Bool) throws -> Bool {
        // Asked at each read, so without looking for links.
        let status = try currentStatus()
        if state.withLock({ $0.seen != status }) { try takeIn(status) }
        guard forObservers else { return false }
        return state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
    }

    private func currentStatus() throws -> FileStatus? {
        do {
            return try system.status(at: path)
        } catch {
            guard error.isAbsence else { throw error }
            return nil
        }
    }

    private func takeIn(_ status: FileStatus?) throws {
        let files = try DomainFiles(name: name, in: folder, on: system)
        if (try? system.status(at: lock.path)) == nil, files.look(at: files.main).isFit,
            state.withLock({ $0.pending.isEmpty })
        {
            // No store ever wrote here, and reading is to leave no files behind.
            _ = defaults.locked { $0.synchronize() }
            state.withLock { state in
                state.seen = status
                state.hasNews = true
            }
            return
        }
        try locked {
            var contents = try heal(files)
            _ = try synchronize(files, &contents)
            remember(files)
        }
    }

    func watch(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
        guard let files = try? DomainFiles(name: name, in: folder, on: system) else { return nil }
        let name = PosixFileSystem.name(of: files.main)
        return FolderWatcher(
            PosixFileSystem.folder(of: files.main),
            names: [name],
            handler: handler
        )
    }

    func follow(_ keys: [String]) {}  // The file is watched, which has all keys.

    func flush() throws {
        try locked {
            let files = try DomainFiles(name: name, in: folder, on: system)
            var contents = try heal(files)
            let isWritten = try synchronize(files, &contents)
            remember(files)
            guard isWritten else {
                throw KVStoreError(
                    .unwritable,
                    reason: "UserDefaults could not write to disk what was set. That stays in "
                        + "force in memory; the file is as it was.",
                    file: files.main
                )
            }
            try write([:], over: contents, in: files)
        }
    }

    deinit {
        if state.withLock({ !$0.pending.isEmpty }) { KVStoreError.reporting { try flush() } }
    }

    /// Runs a body under the lock of the folder.
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try cycle.pass {
                try system.makeDirectories(folder)
                return try lock.withLock(like: nil, body)
            }
        } catch let error as SystemError {
            throw KVStoreError(
                .unwritable,
                reason: "The file of the domain could not be replaced. It is as it was, and so are "
                    + "the values in force.",
                file: path,
                underlyingError: error
            )
        }
    }

    /// Makes the domain's file fit for `UserDefaults`, and its backup equal to it.
    ///
    /// - Returns: What the file holds; nil if there is none.
    private func heal(_ files: DomainFiles) throws -> DomainFiles.Contents? {
        let main = files.lookUntilSettled()
        if case .whole(let contents) = main, files.isBackup(contents.bytes) { return contents }
        let backup = files.look(at: files.backup)
        let action = DomainGuard.action(
            main: main.condition,
            backup: backup.condition,
            isSame: false
        )
        switch (action, main) {
        case (.refreshBackup, .whole(let contents)):
            try files.refreshBackup(contents.bytes)
            return contents
        case (.proceed, _), (.refreshBackup, _): return nil
        case (.dropBackup, _):
            try files.dropBackup()
            return nil
        case (.restoreBackup, _):
            guard case .whole(let contents) = backup else { return nil }
            let path = try files.setAside()
            try files.restoreBackup()
            report(path, "The last whole state, of its backup, is in force.", files)
            try files.refreshBackup(contents.bytes)
            return contents
        case (.startEmpty, _):
            let path = try files.setAside()
            report(path, "There was no backup of it, so the domain is empty.", files)
            return nil
        case (.refuse, .unreadable(let error)):
            throw unreadable("The system does not let it be read.", error)
        case (.refuse, _): throw unreadable("It is not a regular file.", nil)
        }
    }

    /// Lets `UserDefaults` write and read until it has read a whole file; false if writing failed.
    ///
    /// Other programs write the file without a lock, so it may be cut short while it is read.
    private func synchronize(
        _ files: DomainFiles,
        _ contents: inout DomainFiles.Contents?
    ) throws -> Bool {
        for _ in 0..<10 {
            let before = try files.status()
            let isWritten = defaults.locked { $0.synchronize() }
            // The file was whole before, so it is equal to its backup unless someone wrote it.
            if try files.status() == before { return isWritten }
            contents = try heal(files)
            if !isWritten { return false }
        }
        return true
    }

    /// Notes that `UserDefaults` has read the file as it is.
    private func remember(_ files: DomainFiles, isOwn: Bool = false) {
        let status = try? files.status()
        state.withLock { state in
            if state.seen != status, !isOwn { state.hasNews = true }
            state.seen = status
        }
    }

    /// Replaces the file by one with changes; false if it has them already.
    private func replace(
        _ changes: [(name: String, object: Any?)],
        of contents: DomainFiles.Contents?,
        in files: DomainFiles
    ) throws -> Bool {
        var entries = contents?.entries ?? [:]
        var isChanged = false
        for (name, object) in changes {
            let key = name.normalizedKey
            let old = entries[key].flatMap(PropertyListBoxing.value)
            if let old, let object, old == PropertyListBoxing.value(object) { continue }
            if object == nil, entries[key] == nil { continue }
            entries[key] = object
            isChanged = true
        }
        if isChanged { try files.replace(with: entries) }
        return isChanged
    }

    /// Sets what `UserDefaults` does not show although it was written.
    private func check(
        _ changes: [String: PropertyListValue?],
        _ objects: [(name: String, object: Any?)]
    ) throws {
        let isComplete = try defaults.locked { defaults in
            let missing = try objects.filter { name, object in
                guard let value = changes[name] ?? nil else { return false }
                return try defaults.value(name) != value
            }
            let own = defaults.ownObjects(of: objects.filter { $0.object == nil }.map(\.name))
            if missing.isEmpty, own.isEmpty { return true }
            for (name, object) in missing { defaults.setObject(object, name) }
            for name in own.keys { defaults.setObject(nil, name) }
            return defaults.synchronize()
        }
        guard isComplete else {
            throw KVStoreError(
                .unwritable,
                reason: "The values are in force in memory. They were written to the file, but "
                    + "UserDefaults could not confirm it.",
                file: path
            )
        }
    }

    private func report(_ path: String?, _ state: String, _ files: DomainFiles) {
        let rest = path.map { "What was left of it is kept as \($0). " } ?? "It was empty. "
        KVStoreError.report(
            KVStoreError(
                .corrupt,
                reason: "The file of the domain was damaged. " + rest + state,
                file: files.main
            )
        )
    }

    private func unreadable(_ reason: String, _ error: SystemError?) -> KVStoreError {
        KVStoreError(
            .unreadable,
            reason: reason + " It was left as it is, and nothing was stored.",
            file: path,
            underlyingError: error
        )
    }
}
#endif
