import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Committing: one line is appended to the journal, under the lock.
extension JournaledFile {
    /// Decides under the lock what to commit, and commits it.
    ///
    /// - Parameters:
    ///   - handle: The store that makes the commit.
    ///   - isFlushed: Whether to return only when the commit would survive a power loss.
    ///   - decide: Gets the values in force and returns what to change, each name once, or nil if
    ///     they are not those that were expected.
    /// - Returns: Whether they were; if not, nothing was changed.
    /// - Throws: ``KVStoreError``; nothing was changed unless it is
    ///   ``KVStoreError/Code/notDurable``.
    func commit(
        by handle: HandleID,
        isFlushed: Bool,
        _ decide: ([String: PropertyListValue]) -> [JournalChange]?
    ) throws -> Bool {
        var effects = CommitHub.Effects()
        let outcome: Result<UInt64?, any Error>
        do {
            outcome = .success(
                try writing { page in
                    try commit(by: handle, page, effects: &effects, decide)
                }
            )
        } catch {
            outcome = .failure(error)
        }
        effects.perform()
        guard let number = try outcome.get() else { return false }
        publicationIsDue()
        if isFlushed { try flush(through: number) }
        return true
    }

    /// Runs a body as the only writer of all processes.
    func writing<Result>(
        deadline: Duration = JSONFileLock.deadline,
        makesFolders: Bool = true,
        _ body: (GenerationPage) throws -> Result
    ) throws -> Result {
        try gate.pass {
            let owner = state.withLock { $0.image.status }
            do {
                do {
                    return try lock.withLock(like: owner, deadline: deadline, body)
                } catch let error as SystemError where error.isAbsence && makesFolders {
                    try engine.system.makeDirectories(engine.folder)
                    return try lock.withLock(like: owner, deadline: deadline, body)
                }
            } catch let error as SystemError {
                throw engine.unwritable(error)
            }
        }
    }

    /// Commits under the lock.
    ///
    /// - Returns: The number of the last commit, or nil if the expectation was not met.
    private func commit(
        by handle: HandleID,
        _ page: GenerationPage,
        effects: inout CommitHub.Effects,
        _ decide: ([String: PropertyListValue]) -> [JournalChange]?
    ) throws -> UInt64? {
        try prepare(page, effects: &effects)
        if !hasCleaned.exchange(true, ordering: .relaxed) { removeLeftovers(effects: &effects) }
        let (changes, sequence, hasJournal) = state.withLock { state in
            (decide(state.machine.values), state.machine.sequence, state.machine.position != nil)
        }
        guard let changes else { return nil }
        guard !changes.isEmpty else { return sequence }
        let record = JournalRecord(
            sequence: sequence + 1,
            kind: .commit(by: JournalAuthor(domain: tag, handle: handle.number)),
            changes: changes
        )
        if hasJournal {
            try append(record, page, effects: &effects)
        } else {
            try startJournal(with: record, page, effects: &effects)
        }
        return record.sequence
    }

    private func removeLeftovers(effects: inout CommitHub.Effects) {
        let (machine, image) = state.withLock { ($0.machine, $0.image) }
        engine.removeLeftovers(
            isDisplaced: image.digest.map(machine.noted.contains) ?? false,
            isKnown: machine.knows,
            report: { effects.report($0) }
        )
    }

    // MARK: Preparing

    /// Brings memory and files to one state before something is written; the lock must be held.
    ///
    /// Where nothing has happened, this takes a call for each of the two files.
    func prepare(_ page: GenerationPage, effects: inout CommitHub.Effects) throws {
        let (journal, position, image, isReady) = state.withLock { state in
            (
                state.journal, state.machine.position, state.image,
                state.machine.edit == nil && state.defect == nil && state.refusal == nil
            )
        }
        if isReady, let journal, let position, !GenerationPage.isOdd(page.number) {
            let status = try journal.status()
            if status.linkCount > 0, status.size == position.offset, engine.isUnchanged(image),
                !image.isFresh || engine.hasSecretlyChanged(image) == nil
            {
                return
            }
        }
        while case .unsettled = try examine(isLocked: true, effects: &effects) { usleep(5000) }
        try repair(page, effects: &effects)
        try noteEdit(page, effects: &effects)
        if GenerationPage.isOdd(page.number) { page.endChange() }
    }

    /// Makes the journal one that can be appended to.
    private func repair(_ page: GenerationPage, effects: inout CommitHub.Effects) throws {
        let (journal, position, known) = state.withLock {
            ($0.journal, $0.machine.position, $0.defect)
        }
        var defect = known
        if let journal, let position {
            try removeTornLine(journal, position)
            let status = try journal.status()
            if status.linkCount == 0 { return try startJournal(page, effects: &effects) }
            if status.size > position.offset { defect = .damage }
        }
        guard let defect else { return }
        if case .damage = defect { try keepDamagedJournal(effects: &effects) }
        try startJournal(page, effects: &effects)
    }

    private func keepDamagedJournal(effects: inout CommitHub.Effects) throws(SystemError) {
        do throws(SystemError) {
            let place = try engine.keepDamagedJournal()
            effects.report(
                KVStoreError(
                    .corrupt,
                    reason: "The journal is damaged. It is kept at \(place), and a new one holds "
                        + "what could be read.",
                    file: engine.journalPath
                )
            )
        } catch  where error.isAbsence {
            // Somebody has removed it.
        }
    }

    /// Notes an edit of the image in the journal, before what is committed on top of it.
    private func noteEdit(_ page: GenerationPage, effects: inout CommitHub.Effects) throws {
        let (pending, sequence) = state.withLock { ($0.machine.edit?.edit, $0.machine.sequence) }
        guard let pending else { return }
        let record = JournalRecord(
            sequence: sequence + 1,
            kind: .edit(pending.digest, over: pending.over),
            changes: pending.changes
        )
        try append(record, page, effects: &effects)
    }

    // MARK: Appending

    /// Appends a record in one call and takes it in.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/unwritable``; then nothing was changed.
    func append(
        _ record: JournalRecord,
        _ page: GenerationPage,
        effects: inout CommitHub.Effects
    ) throws {
        let (journal, position) = state.withLock { ($0.journal, $0.machine.position) }
        guard let journal, let position else { return }
        var writer = JSONWriter(isIndented: false, capacity: 160)
        var end = position
        end.chain = JournalLine.append(record, after: position.chain, to: &writer)
        let bytes = writer.bytes
        end.offset += bytes.count
        end.sequence = record.sequence
        page.beginChange()
        state.withLock { $0.isWriting = true }
        do throws(SystemError) {
            let count = try engine.system.write(bytes[...], to: journal.number, at: nil)
            if count < bytes.count { throw SystemError(ENOSPC, "write") }
        } catch {
            state.withLock { $0.isWriting = false }
            // While the number stays odd, everybody looks at the journal itself, and the next
            // writer repairs it.
            try engine.system.truncate(journal.number, to: position.offset)
            page.endChange()
            throw engine.unwritable(error, at: engine.journalPath)
        }
        applyOwn(record, to: end, leaving: page, effects: &effects)
        page.endChange()
    }

    /// Puts a new journal in place, where there is none or none that can be appended to.
    ///
    /// It is built on the image that the old one was built on, where that can be read; what the old
    /// one held beyond is one record.
    ///
    /// - Parameters:
    ///   - record: A commit that it begins with.
    ///   - page: The page of the lock, which is held.
    ///   - isWithoutImage: Whether it is built on no image, because the one there goes.
    ///   - effects: Gets what to do after unlocking.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/unwritable``, and nothing was changed, or
    ///   with ``KVStoreError/Code/notDurable``, and the commit is in force.
    func startJournal(
        with record: JournalRecord? = nil,
        _ page: GenerationPage,
        isWithoutImage: Bool = false,
        effects: inout CommitHub.Effects
    ) throws {
        let (machine, image, old) = state.withLock { ($0.machine, $0.image, $0.journal) }
        let base =
            isWithoutImage
            ? JournalText.Contents.Baseline(digest: nil, values: [:])
            : try base(of: machine, image, old)
        let net = base.values.changes(to: machine.journalValues)
        let last = net.isEmpty ? machine.sequence : max(machine.sequence, 1)
        let header = JournalHeader(
            lineage: machine.lineage ?? .random(in: 1 ... .max),
            sequence: net.isEmpty ? last : last - 1,
            base: base.digest
        )
        var (writer, chain) = header.text(base: base.values)
        let baseLength = writer.bytes.count
        var first = record
        if !net.isEmpty {
            let summary = JournalRecord(
                sequence: last,
                kind: .commit(by: JournalAuthor(domain: 0, handle: 0)),
                changes: net
            )
            chain = JournalLine.append(summary, after: chain, to: &writer)
            first = record.map {
                JournalRecord(sequence: last + 1, kind: $0.kind, changes: $0.changes)
            }
        }
        let start = JournalPosition(
            epoch: header.epoch,
            offset: writer.bytes.count,
            sequence: last,
            chain: chain
        )
        var end = start
        if let first {
            end.chain = JournalLine.append(first, after: chain, to: &writer)
            end.offset = writer.bytes.count
            end.sequence = first.sequence
        }
        let journal: OpenFile
        do throws(SystemError) {
            state.withLock { $0.isWriting = true }
            journal = try place(writer.bytes, like: image, page)
        } catch {
            state.withLock { $0.isWriting = false }
            throw engine.unwritable(error, at: engine.journalPath)
        }
        state.withLock { state in
            state.isWriting = first != nil
            state.machine.adopt(header, position: start, isPublished: net.isEmpty)
            state.journal = journal
            state.baseLength = baseLength
            state.defect = nil
            state.noteOutdated()
            state.version += 1
        }
        if let first { applyOwn(first, to: end, leaving: page, effects: &effects) }
        page.endChange()
        try synchronizeFolder()
        flushes.note(end.sequence)
    }

    /// Returns the image that a new journal is to be built on.
    private func base(
        of machine: JournalMachine,
        _ image: JSONFileImage,
        _ old: OpenFile?
    ) throws(KVStoreError) -> JournalText.Contents.Baseline {
        guard machine.position != nil || state.withLock({ $0.defect }) != nil else {
            // The image is all there is.
            let digest = machine.known.first ?? nil
            return JournalText.Contents.Baseline(digest: digest, values: machine.values)
        }
        if let old, case .success(let contents) = try engine.contents(of: old),
            let base = contents.base
        {
            let baselines = contents.replayed(over: base).baselines
            return baselines.last { $0.digest == image.digest } ?? baselines[0]
        }
        do throws(JSONFileTrouble) {
            let (image, values) = try engine.readImage()
            return JournalText.Contents.Baseline(digest: image.digest, values: values)
        } catch {
            return JournalText.Contents.Baseline(digest: nil, values: [:])
        }
    }

    /// Writes a journal and gives it its name; the page's number is odd afterwards.
    func place(
        _ bytes: [UInt8],
        like image: JSONFileImage,
        _ page: GenerationPage
    ) throws(SystemError) -> OpenFile {
        let temporary = try engine.writeTemporary(bytes, like: image).path
        do throws(SystemError) {
            let journal = try OpenFile(temporary, .append, on: engine.system)
            page.beginChange()
            try engine.system.rename(temporary, to: engine.journalPath)
            return journal
        } catch {
            engine.removeQuietly(temporary)
            if GenerationPage.isOdd(page.number) { page.endChange() }
            throw error
        }
    }

    /// Makes the journal's name survive a power loss.
    func synchronizeFolder() throws(KVStoreError) {
        do throws(SystemError) {
            try engine.system.synchronizeDirectory(engine.folder)
        } catch {
            // To flush the journal is not enough while its name may be lost.
            state.withLock { $0.defect = .unflushed }
            throw notDurable(error)
        }
    }

    // MARK: Flushing

    /// Returns when a commit would survive a power loss.
    private func flush(through number: UInt64) throws(KVStoreError) {
        try flushes.wait(for: number) { () throws(KVStoreError) -> UInt64 in
            let (journal, last, defect) = state.withLock {
                ($0.journal, $0.machine.sequence, $0.defect)
            }
            guard let journal else { return last }
            if defect != nil { return try flushByNewJournal() }
            do throws(SystemError) {
                try engine.system.synchronizeData(journal.number)
                return last
            } catch {
                // The system may have given the bytes up and count them as written from now on, so
                // only another file can be trusted.
                state.withLock { $0.defect = .unflushed }
                throw notDurable(error)
            }
        }
    }

    private func flushByNewJournal() throws(KVStoreError) -> UInt64 {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        do {
            return try writing { page in
                try prepare(page, effects: &effects)
                return state.withLock { $0.machine.sequence }
            }
        } catch let error as KVStoreError {
            throw error
        } catch {
            throw notDurable(error)
        }
    }

    private func notDurable(_ error: any Error) -> KVStoreError {
        KVStoreError(
            .notDurable,
            reason: "\(error). The value is in force but may not survive a power loss.",
            file: engine.journalPath,
            underlyingError: error
        )
    }
}
