#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads and replaces a store's file.
///
/// The file is replaced as a whole: written under a name of its own, flushed, and then exchanged
/// with what was there. Whoever reads sees the old file or the new one, also after a crash.
package struct JSONFileEngine: Sendable {
    /// The largest file that is read.
    package static let maximumSize = 64 << 20

    /// How close to its last change a file may be written again with the same times.
    ///
    /// File systems stamp files with a clock that moves in steps of up to ten milliseconds.
    private static let tick = 20_000_000

    /// The path of the file, with all links followed.
    package let path: String
    private let folder: String
    private let name: String
    private let system: any FileSystem
    private let fileLock: FileLock

    package init(path: String, on system: any FileSystem) {
        self.path = path
        folder = PosixFileSystem.folder(of: path)
        name = PosixFileSystem.name(of: path)
        self.system = system
        fileLock = FileLock(path + ".lock", on: system)
    }

    // MARK: Reading

    /// Returns what stands at the path; nil if nothing does.
    package func status() throws(JSONFileTrouble) -> FileStatus? {
        let status: FileStatus
        do throws(SystemError) {
            status = try system.status(at: path)
        } catch  where error.code == ENOENT {
            return nil
        } catch {
            throw JSONFileTrouble(error: unreadable("\(error)"), status: nil)
        }
        guard status.kind == .file else {
            let kind = status.kind == .directory ? "a folder" : "no regular file"
            throw JSONFileTrouble(
                error: unreadable("There is \(kind) at the path."),
                status: status
            )
        }
        return status
    }

    /// Reads the file.
    package func read() throws(JSONFileTrouble) -> JSONFileImage {
        while true {
            // Opening a device can do things to it, so the kind is looked at first.
            guard try status() != nil else { return .absent }
            let file: OpenFile
            let status: FileStatus
            let bytes: [UInt8]
            do throws(SystemError) {
                file = try OpenFile(path, .read, on: system)
                status = try file.status()
                if status.kind != .file { continue }
                if status.size > Self.maximumSize {
                    throw SystemError(EFBIG, "read")
                }
                bytes = try file.contents(size: status.size)
            } catch  where error.code == ENOENT {
                continue
            } catch {
                throw JSONFileTrouble(error: unreadable("\(error)"), status: nil)
            }
            do throws(JSONSyntaxError) {
                return JSONFileImage(
                    values: try JSONText.values(from: bytes),
                    file: file,
                    status: status,
                    digest: ContentDigest(of: bytes),
                    isFresh: isFresh(status)
                )
            } catch {
                throw JSONFileTrouble(error: corrupt(error), status: status)
            }
        }
    }

    /// Returns which files the last commits made, as far as that is known.
    package func publications() -> PublicationLog {
        do throws(SystemError) {
            return publications(in: try OpenFile(fileLock.path, .read, on: system))
        } catch {
            return PublicationLog([])
        }
    }

    private func publications(in lockFile: OpenFile) -> PublicationLog {
        let length = PublicationLog.capacity * PublicationLog.entryLength
        do throws(SystemError) {
            return PublicationLog(
                try system.read(lockFile.number, from: PublicationLog.offset, count: length)
            )
        } catch {
            return PublicationLog([])
        }
    }

    /// Whether a file that has the times it had when it was read was written all the same.
    package func hasSecretlyChanged(_ image: JSONFileImage) -> Bool {
        guard image.isFresh, let file = image.file, let status = image.status else { return false }
        do throws(SystemError) {
            return ContentDigest(of: try file.contents(size: status.size)) != image.digest
        } catch {
            return true
        }
    }

    package func isFresh(_ status: FileStatus?) -> Bool {
        guard let status else { return false }
        let now = system.now()
        let age =
            (now.seconds - status.modified.seconds) * 1_000_000_000
            + now.nanoseconds - status.modified.nanoseconds
        return age < Self.tick
    }

    /// Starts to watch the file.
    package func watch(_ handler: @escaping @Sendable () -> Void) -> FolderWatcher {
        FolderWatcher(folder, names: [name], handler: handler)
    }

    // MARK: Writing

    /// Runs a body while no other process writes the file.
    ///
    /// Folders that are missing are made.
    package func withLock<Result>(
        like status: FileStatus?,
        _ body: (OpenFile) throws -> Result
    ) throws -> Result {
        do {
            do {
                return try fileLock.withLock(like: status, body)
            } catch let error as SystemError where error.isAbsence {
                try system.makeDirectories(folder)
                return try fileLock.withLock(like: status, body)
            }
        } catch let error as SystemError {
            throw unwritable(error)
        }
    }

    /// Replaces the file, under the lock.
    ///
    /// - Parameters:
    ///   - image: What was there when it was last read.
    ///   - values: What the new file holds.
    ///   - lockFile: The lock file, which notes the new file.
    /// - Returns: The new file and, if flushing it failed, the error; nil if the file was edited
    ///   since it was read, in which case it was left as it is.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/unwritable``; then nothing was changed.
    package func replace(
        _ image: JSONFileImage,
        by values: [String: PropertyListValue],
        holding lockFile: OpenFile
    ) throws(KVStoreError) -> (image: JSONFileImage, flushError: KVStoreError?)? {
        let bytes = JSONText.text(of: values)
        let temporary = folder + "/" + TemporaryFile.name(beside: name)
        do throws(SystemError) {
            let file = try write(bytes, at: temporary, like: image.status)
            var status = try file.status()
            note(ContentDigest(of: bytes), in: lockFile)
            guard try put(temporary, in: image) else {
                removeQuietly(temporary)
                return nil
            }
            var flushError: KVStoreError?
            do throws(SystemError) {
                try system.synchronizeDirectory(folder)
            } catch {
                flushError = KVStoreError(
                    .notDurable,
                    reason: "\(error). The value is stored but may not survive a power loss.",
                    file: path
                )
            }
            removeQuietly(temporary)
            do throws(SystemError) {
                status = try file.status()
            } catch {
                // The file is in place. With the status of before, the next look reads it again.
            }
            let new = JSONFileImage(
                values: values,
                file: file,
                status: status,
                digest: ContentDigest(of: bytes),
                isFresh: true
            )
            return (new, flushError)
        } catch {
            removeQuietly(temporary)
            throw unwritable(error)
        }
    }

    /// Removes what writers left that died.
    package func removeLeftovers() {
        do throws(SystemError) {
            for candidate in try system.names(in: folder)
            where TemporaryFile.isName(candidate, beside: name) {
                removeQuietly(folder + "/" + candidate)
            }
        } catch {
            // A folder that cannot be listed keeps its leftovers, which do no harm.
        }
    }

    /// Moves the file aside and returns its new path.
    package func moveAside() throws -> String {
        let target = path + ".corrupt-" + TemporaryFile.randomSuffix()
        do throws(SystemError) {
            try system.rename(path, to: target)
            try system.synchronizeDirectory(folder)
        } catch {
            throw unwritable(error)
        }
        return target
    }

    private func write(
        _ bytes: [UInt8],
        at temporary: String,
        like status: FileStatus?
    ) throws(SystemError) -> OpenFile {
        let file = try OpenFile(temporary, .createNew, on: system)
        let own = try file.status()
        if let status {
            if (own.owner, own.group) != (status.owner, status.group) {
                try system.setOwner(of: file.number, to: status.owner, group: status.group)
            }
            try system.setMode(of: file.number, to: status.mode)
        } else if own.owner == 0 {
            // Root works for others here; a file of its own would lock them out.
            let parent = try system.status(at: folder)
            if parent.owner != 0 {
                try system.setOwner(of: file.number, to: parent.owner, group: parent.group)
            }
        }
        try file.write(bytes)
        try system.synchronize(file.number)
        return file
    }

    /// Puts a file in the place of another, and returns false if that is not the one expected.
    private func put(_ temporary: String, in image: JSONFileImage) throws(SystemError) -> Bool {
        guard let expected = image.status else {
            do throws(SystemError) {
                try system.link(temporary, to: path)
                return true
            } catch  where error.code == EEXIST {
                return false
            } catch  where error.code == EPERM || error.code == EOPNOTSUPP {
                // A file system without second names.
                try system.rename(temporary, to: path)
                return true
            }
        }
        do throws(SystemError) {
            try system.exchange(temporary, with: path)
        } catch  where error.code == ENOENT {
            return false
        } catch  where [ENOSYS, EINVAL, EOPNOTSUPP].contains(error.code) {
            try system.rename(temporary, to: path)
            return true
        }
        // An editor may have saved since the file was read; only now can it be told for certain.
        if isKnown(temporary, as: expected) { return true }
        do throws(SystemError) {
            try system.exchange(temporary, with: path)
        } catch {
            keep(temporary, error)
            return true
        }
        return false
    }

    private func isKnown(_ displaced: String, as expected: FileStatus) -> Bool {
        do throws(SystemError) {
            return try system.status(at: displaced).hasSameContent(as: expected)
        } catch {
            return false
        }
    }

    /// Keeps an edit that was displaced and could not be put back.
    private func keep(_ displaced: String, _ error: SystemError) {
        let target = path + ".edited-" + TemporaryFile.randomSuffix()
        var place = target
        do throws(SystemError) {
            try system.rename(displaced, to: target)
        } catch {
            place = displaced
        }
        KVStoreError.report(
            KVStoreError(
                .unwritable,
                reason: "\(error). The file was edited while it was replaced; the edit is kept at "
                    + "\(place).",
                file: path,
                underlyingError: error
            )
        )
    }

    /// Notes that a file is about to be put in place by a store.
    private func note(_ digest: ContentDigest, in lockFile: OpenFile) {
        let number = publications(in: lockFile).nextNumber
        let entry = PublicationLog.Entry(number: number, digest: digest)
        do throws(SystemError) {
            _ = try system.write(entry.line[...], to: lockFile.number, at: entry.offset)
        } catch {
            // The commit then counts as an edit of the file with those who see it.
        }
    }

    private func removeQuietly(_ path: String) {
        do throws(SystemError) {
            try system.remove(path)
        } catch {
            // A leftover does no harm; the next writer removes it.
        }
    }

    // MARK: Errors

    private func unreadable(_ reason: String) -> KVStoreError {
        KVStoreError(.unreadable, reason: "\(reason) Nothing was changed.", file: path)
    }

    private func unwritable(_ error: SystemError) -> KVStoreError {
        KVStoreError(
            .unwritable,
            reason: "\(error). Nothing was stored.",
            file: path,
            underlyingError: error
        )
    }

    private func corrupt(_ error: JSONSyntaxError) -> KVStoreError {
        KVStoreError(
            .corrupt,
            reason: "Expected \(error.expected). The file was left as it is.",
            file: path,
            line: error.line,
            column: error.column
        )
    }
}
