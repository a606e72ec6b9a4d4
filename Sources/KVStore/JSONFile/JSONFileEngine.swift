#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads and puts in place the two files of a store: the image that people edit, and the journal.
///
/// A file is replaced as a whole: written under a name of its own, flushed, and then given its
/// name. Whoever reads sees the old file or the new one, also after a crash.
package struct JSONFileEngine: Sendable {
    /// The largest file that is read.
    package static let maximumSize = 64 << 20

    /// How close to its last change a file may be written again with the same times.
    ///
    /// File systems stamp files with a clock that moves in steps of up to ten milliseconds.
    package static let tick = Duration.milliseconds(20)

    /// The path of the image, with all links followed.
    package let path: String
    package let journalPath: String
    package let folder: String
    package let name: String
    package let system: any FileSystem

    package init(path: String, on system: any FileSystem) {
        self.path = path
        journalPath = path + ".journal"
        folder = PosixFileSystem.folder(of: path)
        name = PosixFileSystem.name(of: path)
        self.system = system
    }

    // MARK: The image

    /// Returns what stands at the path; nil if nothing does.
    package func imageStatus() throws(JSONFileTrouble) -> FileStatus? {
        let status: FileStatus
        do throws(SystemError) {
            status = try system.status(at: path)
        } catch  where error.isAbsence {
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

    /// Reads the image; one that is not there has no values.
    package func readImage() throws(JSONFileTrouble) -> (
        image: JSONFileImage, values: [String: PropertyListValue]
    ) {
        while true {
            // Opening a device can do things to it, so the kind is looked at first.
            guard let seen = try imageStatus() else { return (.absent, [:]) }
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
            } catch  where error.isAbsence {
                continue
            } catch {
                throw JSONFileTrouble(error: unreadable("\(error)"), status: seen)
            }
            let digest = ContentDigest(of: bytes)
            do throws(JSONSyntaxError) {
                let values = try JSONText.values(from: bytes)
                let image = JSONFileImage(
                    file: file,
                    status: status,
                    digest: digest,
                    isFresh: isFresh(status)
                )
                return (image, values)
            } catch {
                throw JSONFileTrouble(
                    error: corrupt(error),
                    status: status,
                    file: file,
                    digest: digest
                )
            }
        }
    }

    /// Whether an image is still what it was, as far as its status tells.
    package func isUnchanged(_ image: JSONFileImage) -> Bool {
        do throws(SystemError) {
            if let file = image.file { return try file.status() == image.status }
            let status = try system.status(at: path)
            return image.trouble != nil && status == image.status
        } catch {
            return error.isAbsence && image.status == nil && image.trouble == nil
        }
    }

    /// Whether an image that was fresh when it was read was written again with the same times.
    ///
    /// - Returns: Nil while it still may be.
    package func hasSecretlyChanged(_ image: JSONFileImage) -> Bool? {
        guard image.isFresh, let file = image.file, let status = image.status else { return false }
        if isFresh(status) { return nil }
        do throws(SystemError) {
            return ContentDigest(of: try file.contents(size: status.size)) != image.digest
        } catch {
            return true
        }
    }

    /// Whether a file was changed so lately that it may be changed again with the same times.
    package func isFresh(_ status: FileStatus?, within time: Duration = tick) -> Bool {
        guard let status else { return false }
        let now = system.now()
        let age =
            Duration.seconds(now.seconds - status.modified.seconds)
            + .nanoseconds(now.nanoseconds - status.modified.nanoseconds)
        return age < time
    }

    /// Starts to watch the files.
    package func watch(_ handler: @escaping @Sendable () -> Void) -> FolderWatcher {
        FolderWatcher(folder, names: [name, name + ".journal"], handler: handler)
    }

    // MARK: The journal

    /// Opens the journal; nil if there is none.
    package func openJournal() throws(KVStoreError) -> OpenFile? {
        do throws(SystemError) {
            do throws(SystemError) {
                return try OpenFile(journalPath, .append, on: system)
            } catch  where error.code == EACCES || error.code == EROFS || error.code == EPERM {
                // It can be read all the same; whoever writes is told then.
                return try OpenFile(journalPath, .read, on: system)
            }
        } catch  where error.isAbsence {
            return nil
        } catch {
            throw unreadable("\(error).", at: journalPath)
        }
    }

    /// Reads a journal from an offset to its end.
    package func bytes(of journal: OpenFile, from offset: Int = 0) throws(KVStoreError) -> [UInt8] {
        do throws(SystemError) {
            let size = try journal.status().size
            guard size > offset else { return [] }
            return try system.read(journal.number, from: offset, count: size - offset)
        } catch {
            throw unreadable("\(error).", at: journalPath)
        }
    }

    /// Reads a whole journal.
    package func contents(
        of journal: OpenFile
    ) throws(KVStoreError) -> Result<JournalText.Contents, JournalText.Failure> {
        let bytes = try bytes(of: journal)
        do throws(JournalText.Failure) {
            return .success(try JournalText.contents(of: bytes))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Writing

    /// Writes a file beside the image and flushes it.
    ///
    /// - Parameters:
    ///   - bytes: What it holds.
    ///   - image: Whose mode, owner and attributes it gets.
    /// - Returns: The file and its path; it has no other name yet.
    /// - Throws: `SystemError`; then there is no file.
    package func writeTemporary(
        _ bytes: [UInt8],
        like image: JSONFileImage
    ) throws(SystemError) -> (file: OpenFile, path: String) {
        let temporary = folder + "/" + TemporaryFile.name(beside: name)
        let file = try OpenFile(temporary, .createNew, on: system)
        do throws(SystemError) {
            let own = try file.status()
            if let status = image.status, let old = image.file {
                if (own.owner, own.group) != (status.owner, status.group) {
                    try system.setOwner(of: file.number, to: status.owner, group: status.group)
                }
                try system.setMode(of: file.number, to: status.mode)
                try system.copyAttributes(of: old.number, to: file.number)
            } else {
                try system.giveToOwner(of: folder, file.number, own)
            }
            // Locked while its writer lives, by which a leftover is told.
            _ = try system.lock(file.number, isExclusive: true)
            try file.write(bytes)
            try system.synchronize(file.number)
            return (file, temporary)
        } catch {
            removeQuietly(temporary)
            throw error
        }
    }

    /// Puts a file in the place of the image, after which its temporary name is gone.
    ///
    /// - Parameters:
    ///   - temporary: The file.
    ///   - image: What is expected there.
    ///   - report: Called if an edit was displaced and could not be put back, which is kept.
    /// - Returns: False if something else is there, which was left as it is.
    /// - Throws: `SystemError`, and nothing was changed.
    package func put(
        _ temporary: String,
        inPlaceOf image: JSONFileImage,
        report: (KVStoreError) -> Void
    ) throws(SystemError) -> Bool {
        guard let expected = image.status else {
            do throws(SystemError) {
                try system.link(temporary, to: path)
                removeQuietly(temporary)
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
            guard try system.status(at: path).hasSameContent(as: expected) else { return false }
            try system.rename(temporary, to: path)
            return true
        }
        // An editor may have saved since the file was read; only now can it be told for certain.
        if isKnown(temporary, as: expected) {
            removeQuietly(temporary)
            return true
        }
        do throws(SystemError) {
            try system.exchange(temporary, with: path)
        } catch {
            report(keep(temporary, error))
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
    private func keep(_ displaced: String, _ error: SystemError) -> KVStoreError {
        let target = path + ".edited-" + TemporaryFile.randomSuffix()
        var place = target
        do throws(SystemError) {
            try system.rename(displaced, to: target)
        } catch {
            place = displaced
        }
        return KVStoreError(
            .unwritable,
            reason: "\(error). The file was edited while it was replaced; the edit is kept at "
                + "\(place).",
            file: path,
            underlyingError: error
        )
    }

    /// Moves the image aside and returns its new path.
    package func moveImageAside() throws(SystemError) -> String {
        let target = path + ".corrupt-" + TemporaryFile.randomSuffix()
        try system.rename(path, to: target)
        try system.synchronizeDirectory(folder)
        return target
    }

    /// Gives a damaged journal a second name, under which it stays when it is replaced.
    package func keepDamagedJournal() throws(SystemError) -> String {
        let target = journalPath + ".damaged-" + TemporaryFile.randomSuffix()
        try system.link(journalPath, to: target)
        return target
    }

    /// Removes what writers left that died, under the lock.
    ///
    /// - Parameters:
    ///   - isDisplaced: Whether the image in place was put there by exchange, so that a leftover may
    ///     be what stood there before.
    ///   - isKnown: Whether an image with a digest is one that a store made.
    ///   - report: Called for an edit that a writer displaced just before it died, which is kept.
    package func removeLeftovers(
        isDisplaced: Bool,
        isKnown: (ContentDigest) -> Bool,
        report: (KVStoreError) -> Void
    ) {
        do throws(SystemError) {
            for candidate in try system.names(in: folder)
            where TemporaryFile.isName(candidate, beside: name) {
                try removeLeftover(folder + "/" + candidate, isDisplaced, isKnown, report)
            }
        } catch {
            // A folder that cannot be listed keeps its leftovers, which do no harm.
        }
    }

    private func removeLeftover(
        _ leftover: String,
        _ isDisplaced: Bool,
        _ isKnown: (ContentDigest) -> Bool,
        _ report: (KVStoreError) -> Void
    ) throws(SystemError) {
        let file = try OpenFile(leftover, .read, on: system)
        guard try system.lock(file.number, isExclusive: true) else { return }
        defer { system.unlock(file.number) }
        let bytes = isDisplaced ? try file.contents(size: file.status().size) : []
        if isDisplaced, !bytes.isEmpty, !bytes.starts(with: JournalHeader.mark.utf8),
            !isKnown(ContentDigest(of: bytes))
        {
            let target = path + ".edited-" + TemporaryFile.randomSuffix()
            try system.rename(leftover, to: target)
            report(
                KVStoreError(
                    .unwritable,
                    reason: "A process that died had displaced an edit of the file, which is kept "
                        + "at \(target).",
                    file: path
                )
            )
        } else {
            try system.remove(leftover)
        }
    }

    package func removeQuietly(_ path: String) {
        do throws(SystemError) {
            try system.remove(path)
        } catch {
            // A leftover does no harm; the next writer removes it.
        }
    }

    // MARK: Errors

    package func unreadable(_ reason: String, at file: String? = nil) -> KVStoreError {
        KVStoreError(.unreadable, reason: "\(reason) Nothing was changed.", file: file ?? path)
    }

    package func unwritable(_ error: SystemError, at file: String? = nil) -> KVStoreError {
        KVStoreError(
            .unwritable,
            reason: "\(error). Nothing was stored.",
            file: file ?? path,
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
