import Dispatch
import Synchronization

/// The files of a store, read and written by this process among others.
///
/// The values are kept in memory. The journal is what they are true to; the image is written from
/// it now and then, and what people change there is merged in. Locks are taken in this order: gate,
/// lock file, state. Nothing that waits for a disk happens under the state.
package final class JournaledFile: Sendable {
    /// How long a file must stand unchanged before it counts as missing or broken: an editor may be
    /// in the middle of saving it.
    static let settlingTime = Duration.milliseconds(100)

    /// How long a look waits for writers of other processes before it looks without the lock.
    static let lookingTime = Duration.seconds(2)

    /// An image that is missing or cannot be read, though there are values of it.
    struct Doubt {
        let status: FileStatus?
        let code: KVStoreError.Code?
        let since: ContinuousClock.Instant
    }

    /// What is wrong with a journal that must not be appended to.
    enum Defect {
        /// What it holds cannot be read to its end.
        case damage
        /// Flushing it failed: the system may count bytes as written that it has given up.
        case unflushed
    }

    struct State {
        var machine = JournalMachine()
        var hub = CommitHub()
        /// Goes up with every change, so that what was read meanwhile can be seen to be old.
        var version: UInt64 = 0
        /// While this process writes, what it has written is taken in by the thread that writes, so
        /// that its observers are called before the write returns.
        var isWriting = false
        var isLoaded = false
        var journal: OpenFile?
        /// The number of bytes of the journal before its records.
        var baseLength = 0
        /// Why a new journal must follow before anything is written; nil if none must.
        var defect: Defect?
        var image = JSONFileImage.absent
        var doubt: Doubt?
        private var page: GenerationPage?
        /// Tells whether memory is all that was written; nil if that cannot be told.
        private(set) var mark: GenerationPage.Mark?

        /// Notes the number of the page at which memory is all that was written.
        mutating func noteCurrent(_ page: GenerationPage, at number: UInt64) {
            mark = page.isShared ? page.mark(at: number) : nil
            self.page = page
        }

        /// Has the next read look at the files.
        mutating func noteOutdated() {
            mark = nil
        }
        /// Why nothing can be read or written: the journal is of a later version.
        var refusal: KVStoreError?
        /// Whether some store on the files wants a bad image moved out of the way.
        var quarantines = false
    }

    let engine: JSONFileEngine
    package let lock: JSONFileLock
    let gate = WriterGate()
    let flushes = FlushGroup()
    let schedule = PublicationSchedule()
    let hasCleaned = Atomic<Bool>(false)
    /// Whether this process has committed what is not published.
    let isPending = Atomic<Bool>(false)
    let state = Mutex(State())
    /// By which records of stores in this process are told from others.
    let tag = UInt32.random(in: 1 ... .max)

    package init(_ engine: JSONFileEngine) {
        self.engine = engine
        lock = JSONFileLock(engine.path + ".lock", on: engine.system)
    }

    // MARK: Reading

    /// Returns the value of a name, for a name of legal length.
    func storedValue(for name: String) throws -> PropertyListValue? {
        let (isCurrent, value) = state.withLock { state -> (Bool, PropertyListValue?) in
            guard let mark = state.mark, mark.isCurrent else { return (false, nil) }
            return (true, state.machine.values[name])
        }
        if isCurrent { return value }
        try catchUp()
        return state.withLock { $0.machine.values[name] }
    }

    /// Returns all values.
    func storedValues() throws -> [String: PropertyListValue] {
        let isCurrent = state.withLock { $0.mark?.isCurrent ?? false }
        if !isCurrent { try catchUp() }
        return state.withLock { $0.machine.values }
    }

    /// Takes in what was committed since memory was last compared with the journal.
    ///
    /// An edit of the image does not change the number by which this is told, so once there is a
    /// journal edits are taken in by commits, by ``refresh()`` and while somebody observes.
    func catchUp() throws(KVStoreError) {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        guard let page = lock.findPage() else {
            // Nobody has written, or the number cannot be had here: the files themselves tell.
            try drain(effects: &effects)
            if !engine.isUnchanged(state.withLock({ $0.image })) { look(effects: &effects) }
            return
        }
        let generation = page.number
        try drain(effects: &effects)
        if GenerationPage.isOdd(generation) { repairAbandoned() }
        let image: JSONFileImage? = state.withLock { state in
            guard state.machine.position != nil, !GenerationPage.isOdd(generation) else {
                return state.image
            }
            state.noteCurrent(page, at: generation)
            return nil
        }
        if let image, !engine.isUnchanged(image) { look(effects: &effects) }
    }

    /// Reads what was appended to the journal, and the journal that took its place.
    ///
    /// - Throws: ``KVStoreError`` if the journal cannot be read; what was read before stays.
    func drain(effects: inout CommitHub.Effects) throws(KVStoreError) {
        while true {
            let (journal, position, refusal, isWriting) = state.withLock {
                ($0.journal, $0.machine.position, $0.refusal, $0.isWriting)
            }
            if let refusal { throw refusal }
            if isWriting { return }
            if let journal, let position {
                let status = try status(of: journal)
                if status.size > position.offset {
                    let bytes = try engine.bytes(of: journal, from: position.offset)
                    let tail = JournalText.records(in: bytes[...], from: position)
                    if !tail.records.isEmpty {
                        apply(tail.records, from: position, to: tail.position, effects: &effects)
                        continue
                    }
                }
                if status.linkCount > 0 { return }
            }
            guard let next = try engine.openJournal() else { return }
            if try !adopt(next, after: position, effects: &effects) { return }
        }
    }

    private func status(of journal: OpenFile) throws(KVStoreError) -> FileStatus {
        do throws(SystemError) {
            return try journal.status()
        } catch {
            throw engine.unreadable("\(error).", at: engine.journalPath)
        }
    }

    /// Takes in records that others appended, unless another thread did.
    private func apply(
        _ records: [JournalRecord],
        from position: JournalPosition,
        to end: JournalPosition,
        effects: inout CommitHub.Effects
    ) {
        // Values that were replaced live in the events until the lock is released.
        var events: [JournalMachine.Event] = []
        state.withLock { state in
            guard state.machine.position == position, !state.isWriting else { return }
            events = state.machine.take(records, to: end)
            publish(events, in: &state, effects: &effects)
        }
        withExtendedLifetime(events) {}
    }

    /// Takes in a record that this thread wrote.
    func applyOwn(
        _ record: JournalRecord,
        to end: JournalPosition,
        leaving page: GenerationPage,
        effects: inout CommitHub.Effects
    ) {
        var events: [JournalMachine.Event] = []
        state.withLock { state in
            state.isWriting = false
            // The even number that the page gets next, once memory is there.
            state.noteCurrent(page, at: page.number &+ 1)
            events = state.machine.take([record], to: end)
            publish(events, in: &state, effects: &effects)
        }
        withExtendedLifetime(events) {}
    }

    /// Takes in a journal that was not read before.
    ///
    /// - Returns: False if it says nothing, because it is damaged from its beginning.
    private func adopt(
        _ journal: OpenFile,
        after position: JournalPosition?,
        effects: inout CommitHub.Effects
    ) throws(KVStoreError) -> Bool {
        let contents: JournalText.Contents
        switch try engine.contents(of: journal) {
        case .success(let success): contents = success
        case .failure(.newer(let version)):
            let error = KVStoreError(
                .newerFormat,
                reason: "The journal has version \(version) of its format and this library reads "
                    + "version \(JournalHeader.version). Nothing was changed.",
                file: engine.journalPath
            )
            state.withLock { state in
                state.refusal = error
                state.noteOutdated()
            }
            throw error
        case .failure(.unreadable):
            noteDamage("It is no journal or its beginning is damaged", effects: &effects)
            return false
        }
        var base = contents.base
        if base == nil {
            // The image is what the base is a copy of, unless it was changed since.
            do throws(JSONFileTrouble) {
                let (image, values) = try engine.readImage()
                if image.digest == contents.header.base { base = values }
            } catch {
                // Then there is nothing to replay the records over.
            }
        }
        guard let base else {
            noteDamage("Its copy of the file is damaged", effects: &effects)
            return false
        }
        var events: [JournalMachine.Event] = []
        state.withLock { state in
            // Another thread may have taken it in, and more.
            guard state.machine.position == position, !state.isWriting else { return }
            if state.isLoaded {
                events = state.machine.take(contents, base: base)
            } else {
                state.machine.open(contents, base: base)
            }
            state.journal = journal
            state.baseLength = contents.recordsOffset
            state.defect = contents.base == nil ? .damage : nil
            state.noteOutdated()
            publish(events, in: &state, effects: &effects)
        }
        withExtendedLifetime(events) {}
        return true
    }

    private func noteDamage(_ reason: String, effects: inout CommitHub.Effects) {
        let isNew = state.withLock { state in
            defer { state.defect = .damage }
            return state.defect == nil
        }
        guard isNew else { return }
        effects.report(
            KVStoreError(
                .corrupt,
                reason: "\(reason). What it held is lost as far as it is not in memory or in the "
                    + "file beside it; the next commit keeps it under another name.",
                file: engine.journalPath
            )
        )
    }

    /// Publishes commits under the lock of the state.
    func publish(
        _ events: [JournalMachine.Event],
        in state: inout State,
        effects: inout CommitHub.Effects
    ) {
        state.version += 1
        for event in events {
            let writer = event.author.flatMap { author in
                author.domain == tag ? HandleID(number: author.handle) : nil
            }
            state.hub.publish(
                event.changes,
                by: writer,
                foreignOrigin: event.author == nil ? .fileEdit : .anotherProcess,
                revision: event.revision,
                isMerged: event.isMerged,
                effects: &effects
            )
        }
    }

    /// Makes the number even that a writer left odd who died.
    private func repairAbandoned() {
        do {
            try lock.tryLock { page in
                guard GenerationPage.isOdd(page.number) else { return }
                let (journal, position) = state.withLock { ($0.journal, $0.machine.position) }
                if let journal, let position {
                    try removeTornLine(journal, position)
                }
                page.endChange()
            }
        } catch {
            // Reads go on asking the system, until somebody can.
        }
    }

    /// Cuts off the beginning of a line whose writer died; the lock must be held.
    func removeTornLine(_ journal: OpenFile, _ position: JournalPosition) throws {
        let bytes = try engine.bytes(of: journal, from: position.offset)
        guard !bytes.isEmpty else { return }
        let tail = JournalText.records(in: bytes[...], from: position)
        guard tail.records.isEmpty, tail.ending == .torn else { return }
        try engine.system.truncate(journal.number, to: position.offset)
    }
}
