import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writing the image from the journal, so that people find in it what is stored.
///
/// New files are written while others may commit; the lock is held only to put them in place, so no
/// commit waits for a large file. Each step leaves a pair of files of which the journal tells what
/// they come to.
extension JournaledFile {
    /// What an image is written from.
    private struct Snapshot {
        let values: [String: PropertyListValue]
        let position: JournalPosition
        let lineage: UInt64
        let image: JSONFileImage
    }

    /// The two files that are to be put in place.
    private struct Draft {
        /// The path of the new image, and the open file; nil if the one in place is as it should be.
        let image: (path: String, file: OpenFile)?
        let digest: ContentDigest
        /// The new journal; both files are kept open, so that they do not count as leftovers.
        let journal: (path: String, file: OpenFile)
        let header: JournalHeader
        let chain: ContentDigest
        /// The number of bytes of the journal so far.
        let length: Int
    }

    /// Writes the image if it lacks commits.
    ///
    /// - Parameter deadline: How long to wait for other writers.
    /// - Throws: ``KVStoreError`` if the image cannot be understood or written; what was committed
    ///   stays in the journal.
    package func publish(deadline: Duration = JSONFileLock.deadline) throws {
        // Observers are called when it is over: they may write, and wait for it.
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        try schedule.alone {
            // Somebody may edit the file each time; the edits are in the journal by then.
            for _ in 0..<20 {
                if try publishOnce(deadline, effects: &effects) { return }
            }
        }
    }

    /// Whether a bad image is moved out of the way rather than waited for.
    var movesBadImages: Bool { state.withLock { $0.quarantines } }

    /// Whether the journal holds what the image does not.
    var needsPublication: Bool {
        state.withLock { $0.machine.position != nil && !$0.machine.isPublished }
    }

    /// Whether the journal was removed since it was read.
    var hasLostJournal: Bool {
        guard let journal = state.withLock({ $0.journal }) else { return true }
        do throws(SystemError) {
            return try journal.status().linkCount == 0
        } catch {
            return false
        }
    }

    private func publishOnce(
        _ deadline: Duration,
        effects: inout CommitHub.Effects
    ) throws -> Bool {
        guard needsPublication else { return true }
        // A folder that was removed is not made again for this.
        guard !hasLostJournal else { return true }
        guard
            let snapshot = try writing(
                deadline: deadline,
                makesFolders: false,
                { page in try snapshot(page, effects: &effects) }
            )
        else { return true }
        let draft: Draft
        do throws(SystemError) {
            draft = try write(snapshot)
        } catch {
            throw unpublished(error)
        }
        var isInPlace = false
        var isImageUsed = false
        defer {
            if let image = draft.image, !isImageUsed { engine.removeQuietly(image.path) }
            if !isInPlace { engine.removeQuietly(draft.journal.path) }
        }
        isInPlace = try writing(deadline: deadline, makesFolders: false) { page in
            try prepare(page, effects: &effects)
            return try put(draft, after: snapshot, page, &isImageUsed, effects: &effects)
        }
        return isInPlace
    }

    // MARK: Without the lock

    /// Takes what is to be written, under the lock; nil if there is nothing to write.
    private func snapshot(
        _ page: GenerationPage,
        effects: inout CommitHub.Effects
    ) throws -> Snapshot? {
        try prepare(page, effects: &effects)
        if let trouble = state.withLock({ $0.image.trouble }) {
            guard movesBadImages, trouble.code == .corrupt else { throw trouble }
            try setImageAside(trouble, page, effects: &effects)
        }
        return state.withLock { state in
            guard let position = state.machine.position, let lineage = state.machine.lineage,
                !state.machine.isPublished
            else { return nil }
            return Snapshot(
                values: state.machine.values,
                position: position,
                lineage: lineage,
                image: state.image
            )
        }
    }

    private func write(_ snapshot: Snapshot) throws(SystemError) -> Draft {
        let text = JSONText.text(of: snapshot.values)
        guard text.count <= JSONFileEngine.maximumSize else { throw SystemError(EFBIG, "write") }
        let digest = ContentDigest(of: text)
        let header = JournalHeader(
            lineage: snapshot.lineage,
            sequence: snapshot.position.sequence,
            base: digest
        )
        let (writer, chain) = header.text(base: snapshot.values)
        let journal = try engine.writeTemporary(writer.bytes, like: snapshot.image)
        var image: (path: String, file: OpenFile)?
        if digest != snapshot.image.digest {
            do throws(SystemError) {
                let written = try engine.writeTemporary(text, like: snapshot.image)
                image = (written.path, written.file)
            } catch {
                engine.removeQuietly(journal.path)
                throw error
            }
        }
        return Draft(
            image: image,
            digest: digest,
            journal: (journal.path, journal.file),
            header: header,
            chain: chain,
            length: writer.bytes.count
        )
    }

    // MARK: Under the lock

    /// Puts the files in place, or returns false if the files before were changed meanwhile.
    ///
    /// | after step | files | what they come to |
    /// |---|---|---|
    /// | 1 note | old image, old journal | the journal: the image is what it is built on |
    /// | 2 exchange | new image, old journal | the journal: the image is the one noted |
    /// | 4 rename | new image, new journal | the new journal |
    ///
    /// Each step is flushed before the next, so a power loss leaves one of these pairs too.
    private func put(
        _ draft: Draft,
        after snapshot: Snapshot,
        _ page: GenerationPage,
        _ isImageUsed: inout Bool,
        effects: inout CommitHub.Effects
    ) throws -> Bool {
        let (journal, position, image) = state.withLock {
            ($0.journal, $0.machine.position, $0.image)
        }
        guard let journal, let position, position.epoch == snapshot.position.epoch,
            image.digest == snapshot.image.digest, image.trouble == nil
        else { return false }
        // 1. From here on, both images count as ones that hold no edit.
        if draft.image != nil {
            let note = JournalRecord(
                sequence: position.sequence,
                kind: .publication(draft.digest)
            )
            try append(note, page, effects: &effects)
        }
        do throws(SystemError) {
            try engine.system.synchronizeData(journal.number)
        } catch {
            state.withLock { $0.defect = .unflushed }
            throw unpublished(error)
        }
        do {
            // 2.
            var new = image
            if let written = draft.image {
                let isPut = try engine.put(written.path, inPlaceOf: image) { effects.report($0) }
                guard isPut else { return false }
                isImageUsed = true
                try engine.system.synchronizeDirectory(engine.folder)
                engine.system.unlock(written.file.number)
                let status = try written.file.status()
                new = JSONFileImage(
                    file: written.file,
                    status: status,
                    digest: draft.digest,
                    isFresh: engine.isFresh(status)
                )
                state.withLock { state in
                    state.image = new
                    state.version += 1
                }
            }
            // 3 and 4.
            try continueJournal(draft, after: snapshot, journal, page)
            return true
        } catch let error as SystemError {
            throw unpublished(error)
        }
    }

    /// Puts the new journal in place, with what was committed since it was written.
    private func continueJournal(
        _ draft: Draft,
        after snapshot: Snapshot,
        _ old: OpenFile,
        _ page: GenerationPage
    ) throws {
        let tail = try engine.bytes(of: old, from: snapshot.position.offset)
        let read = JournalText.records(in: tail[...], from: snapshot.position)
        let file = try OpenFile(draft.journal.path, .append, on: engine.system)
        var end = JournalPosition(
            epoch: draft.header.epoch,
            offset: draft.length,
            sequence: draft.header.sequence,
            chain: draft.chain
        )
        var writer = JSONWriter(isIndented: false, capacity: tail.count)
        for record in read.records {
            if case .publication = record.kind { continue }
            end.chain = JournalLine.append(record, after: end.chain, to: &writer)
            end.sequence = record.sequence
        }
        let bytes = writer.bytes
        if !bytes.isEmpty {
            try file.write(bytes)
            try engine.system.synchronize(file.number)
            end.offset += bytes.count
        }
        page.beginChange()
        defer { page.endChange() }
        try engine.system.rename(draft.journal.path, to: engine.journalPath)
        state.withLock { state in
            state.machine.adopt(draft.header, position: end, isPublished: bytes.isEmpty)
            state.journal = file
            state.baseLength = draft.length
            state.defect = nil
            state.noteOutdated()
            state.version += 1
        }
        flushes.note(end.sequence)
        try synchronizeFolder()
    }

    // MARK: Bad images

    /// Moves a bad image out of the way when a store is opened.
    func quarantine(effects: inout CommitHub.Effects) throws {
        try writing { page in
            while true {
                switch try examine(isLocked: true, effects: &effects) {
                case .current: return
                case .unsettled: continue
                case .bad(let trouble):
                    return try setImageAside(trouble, page, effects: &effects)
                }
            }
        }
    }

    /// Moves a bad image out of the way; the journal says first that there is none.
    private func setImageAside(
        _ trouble: KVStoreError,
        _ page: GenerationPage,
        effects: inout CommitHub.Effects
    ) throws {
        if state.withLock({ $0.machine.position != nil }) {
            state.withLock { $0.image = .absent }
            try startJournal(page, isWithoutImage: true, effects: &effects)
        } else {
            state.withLock { state in
                _ = state.machine.take(image: state.machine.values, digest: nil)
            }
        }
        let place = try engine.moveImageAside()
        state.withLock { state in
            state.image = .absent
            state.version += 1
        }
        effects.report(
            KVStoreError(
                .corrupt,
                reason: "\(trouble.reason) It was moved to \(place); the last good state is in "
                    + "force.",
                file: engine.path,
                line: trouble.line,
                column: trouble.column
            )
        )
    }

    private func unpublished(_ error: any Error) -> KVStoreError {
        KVStoreError(
            .unwritable,
            reason: "\(error). The file lacks the last commits, which are kept in the journal.",
            file: engine.path,
            underlyingError: error
        )
    }
}
