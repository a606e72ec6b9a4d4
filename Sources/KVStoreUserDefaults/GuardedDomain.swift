#if !canImport(Darwin)
import Foundation
import KVStore

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
struct GuardedDomain: SuiteKeeper {
    private let defaults: SuiteDefaults
    private let name: String
    private let folder: String
    private let system: any FileSystem
    private let lock: FileLock

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
        lock = FileLock("\(folder)/.kvstore-userdefaults.lock", on: system)
    }

    func open() throws {
        let files: DomainFiles
        do {
            files = try DomainFiles(name: name, in: folder, on: system)
        } catch {
            throw unreadable("The links to it lead nowhere.", error)
        }
        switch files.look(at: files.main) {
        case .absent, .whole: break
        case .damaged: try locked { try heal(files) }
        case .unreadable(let error): throw unreadable("The system does not let it be read.", error)
        case .special: throw unreadable("It is not a regular file.", nil)
        }
        defaults.locked { $0.touch() }
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        let objects = try changes.map { name, value in
            (name: name, object: try value.map { try PropertyListBoxing.boxed($0, for: name) })
        }
        return try locked {
            let files = try DomainFiles(name: name, in: folder, on: system)
            try heal(files)
            // What other code set is its own to lose: if it cannot be written, it stays in memory.
            _ = try synchronize(files)
            guard try defaults.locked({ try expecting.isMet(by: $0) }) else { return false }
            guard try replace(objects, in: files) else { return true }
            _ = try synchronize(files)
            try check(changes, objects)
            return true
        }
    }

    func flush() throws {
        try locked {
            let files = try DomainFiles(name: name, in: folder, on: system)
            try heal(files)
            guard try synchronize(files) else {
                throw KVStoreError(
                    .unwritable,
                    reason: "UserDefaults could not write to disk what other code set. That stays "
                        + "in force in memory; the file is as it was.",
                    file: files.main
                )
            }
        }
    }

    /// Runs a body under the lock of the folder.
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            try system.makeDirectories(folder)
            return try lock.withLock(like: nil, body)
        } catch let error as SystemError {
            throw KVStoreError(
                .unwritable,
                reason: "The file of the domain could not be replaced. It is as it was, and so are "
                    + "the values in force.",
                file: "\(folder)/\(name).plist",
                underlyingError: error
            )
        }
    }

    /// Makes the domain's file fit for `UserDefaults`, and its backup equal to it.
    private func heal(_ files: DomainFiles) throws {
        let main = files.lookUntilSettled()
        let backup = files.look(at: files.backup)
        var isSame = false
        if case .whole(let lhs) = main, case .whole(let rhs) = backup {
            isSame = lhs.bytes == rhs.bytes
        }
        let action = DomainGuard.action(
            main: main.condition,
            backup: backup.condition,
            isSame: isSame
        )
        switch (action, main) {
        case (.proceed, _): break
        case (.refreshBackup, .whole(let contents)): try files.refreshBackup(contents.bytes)
        case (.refreshBackup, _): break
        case (.dropBackup, _): try files.dropBackup()
        case (.restoreBackup, _):
            let path = try files.setAside()
            try files.restoreBackup()
            report(path, "The last whole state, of its backup, is in force.", files)
            if case .whole(let contents) = backup { try files.refreshBackup(contents.bytes) }
        case (.startEmpty, _):
            let path = try files.setAside()
            report(path, "There was no backup of it, so the domain is empty.", files)
        case (.refuse, .unreadable(let error)):
            throw unreadable("The system does not let it be read.", error)
        case (.refuse, _): throw unreadable("It is not a regular file.", nil)
        }
    }

    /// Lets `UserDefaults` write and read, and repairs what it may leave; false if it failed.
    private func synchronize(_ files: DomainFiles) throws -> Bool {
        let before = try files.status()
        let isWritten = defaults.locked { $0.synchronize() }
        // The file was whole before, so it is equal to its backup unless someone wrote it.
        if try files.status() != before { try heal(files) }
        return isWritten
    }

    /// Replaces the file by one with changes; false if it has them already.
    private func replace(
        _ changes: [(name: String, object: Any?)],
        in files: DomainFiles
    ) throws -> Bool {
        var entries: [String: Any] = [:]
        if case .whole(let contents) = files.look(at: files.main) {
            for (key, object) in contents.entries {
                entries[key.normalizedKey] = object
            }
        }
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
                file: "\(folder)/\(name).plist"
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
            file: "\(folder)/\(name).plist",
            underlyingError: error
        )
    }
}
#endif
