import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Taking in what people do to the image, and opening.
///
/// Whether an image was edited is decided while no writer is at work: between reading the journal
/// and the image, writers could otherwise put two new images in place, and the older of them would
/// look like somebody's edit.
extension JournaledFile {
    /// What looking at the files came to.
    enum Outcome {
        case current
        /// Too early to tell: somebody is writing, or an editor may be.
        case unsettled
        /// The image cannot be understood; the values before stay in force.
        case bad(KVStoreError)
    }

    // MARK: Opening

    /// Reads the files, unless that was done before.
    ///
    /// - Parameter quarantining: Whether an image that cannot be understood is moved out of the way,
    ///   now and later.
    /// - Throws: ``KVStoreError`` if they cannot be read.
    package func load(quarantining: Bool) throws {
        let isLoaded = state.withLock { state in
            if quarantining { state.quarantines = true }
            return state.isLoaded
        }
        if isLoaded { return try catchUp() }
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        if case .bad(let error) = try settledLook(effects: &effects) {
            guard quarantining, error.code == .corrupt else { throw error }
            try quarantine(effects: &effects)
        }
        let image = state.withLock { state in
            state.isLoaded = true
            return state.image
        }
        if let count = image.status?.linkCount, count > 1 {
            effects.report(
                KVStoreError(
                    .unwritable,
                    reason: "The file has \(count) names. When it is written, the others keep the "
                        + "file as it was.",
                    file: engine.path
                )
            )
        }
    }

    /// Takes in the journal and what was edited, as often as it takes to be sure.
    ///
    /// - Throws: ``KVStoreError`` if the image or the journal cannot be read; the values before stay
    ///   in force.
    package func refresh() throws {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        if case .bad(let error) = try settledLook(effects: &effects) { throw error }
    }

    private func settledLook(effects: inout CommitHub.Effects) throws -> Outcome {
        let end = ContinuousClock.now + Self.lookingTime
        while true {
            let outcome = try lockedLook(effects: &effects)
            guard case .unsettled = outcome else { return outcome }
            if ContinuousClock.now > end {
                // Whoever holds the lock is not at work: nothing changes while we look.
                let outcome = try examine(isLocked: false, effects: &effects)
                guard case .unsettled = outcome else { return outcome }
            }
            usleep(5000)
        }
    }

    // MARK: Looking

    /// Looks at the files once.
    @discardableResult
    func look(effects: inout CommitHub.Effects) -> Outcome {
        do {
            return try lockedLook(effects: &effects)
        } catch let error as KVStoreError {
            return .bad(error)
        } catch {
            return .unsettled
        }
    }

    /// Takes in what was committed, and what was edited only if there seems to be an edit.
    ///
    /// - Returns: Whether it is too early to tell.
    func lookQuickly() -> Bool {
        // Observers first: looking at the image takes longer.
        var effects = CommitHub.Effects()
        do throws(KVStoreError) {
            try drain(effects: &effects)
        } catch {
            return false
        }
        effects.perform()
        effects = CommitHub.Effects()
        defer { effects.perform() }
        let image = state.withLock { $0.image }
        if engine.isUnchanged(image), !image.isFresh, !isWiped(image) { return false }
        if case .unsettled = look(effects: &effects) { return true }
        return state.withLock { $0.image.isFresh }
    }

    private func lockedLook(effects: inout CommitHub.Effects) throws -> Outcome {
        do {
            return try lock.withSharedLock { try examine(isLocked: true, effects: &effects) }
                ?? .unsettled
        } catch is SystemError {
            // Nobody has written yet, or there is no locking here.
            return try examine(isLocked: false, effects: &effects)
        }
    }

    /// Compares memory with both files, and takes in and publishes what differs.
    func examine(
        isLocked: Bool,
        effects: inout CommitHub.Effects
    ) throws(KVStoreError) -> Outcome {
        while true {
            try drain(effects: &effects)
            let (image, version) = state.withLock { ($0.image, $0.version) }
            if engine.isUnchanged(image), !isUnexplained(image), !isWiped(image),
                let outcome = settled(image, version)
            {
                return outcome
            }
            let new: JSONFileImage
            let values: [String: PropertyListValue]
            do throws(JSONFileTrouble) {
                (new, values) = try engine.readImage()
            } catch {
                guard let outcome = doubt(error, version, effects: &effects) else { continue }
                return outcome
            }
            if new.status == nil {
                guard let outcome = missing(version, effects: &effects) else { continue }
                guard case .current = outcome else { return outcome }
            }
            if !isLocked {
                // Nothing may have been put in place between reading the one and the other.
                try drain(effects: &effects)
                guard engine.isUnchanged(new) else { continue }
            }
            if try take(new, values, version, effects: &effects) { return .current }
        }
    }

    /// Returns what an image comes to that has the status it had; nil if it was written again.
    private func settled(_ image: JSONFileImage, _ version: UInt64) -> Outcome? {
        if let hasChanged = engine.hasSecretlyChanged(image) {
            if hasChanged { return nil }
            state.withLock { state in
                if state.version == version { state.image.isFresh = false }
            }
        }
        state.withLock { state in
            if state.version == version { state.doubt = nil }
        }
        return image.trouble.map(Outcome.bad) ?? .current
    }

    /// Takes in an image, unless something else came first.
    private func take(
        _ image: JSONFileImage,
        _ values: [String: PropertyListValue],
        _ version: UInt64,
        effects: inout CommitHub.Effects
    ) throws(KVStoreError) -> Bool {
        let (machine, journal) = state.withLock { ($0.machine, $0.journal) }
        var edit: HandEdit?
        let isKnown = machine.knows(image.digest)
        let isTaken = machine.edit.map { $0.edit.digest == image.digest } ?? false
        if !isKnown, !isTaken, machine.position != nil, let journal {
            let baselines = try baselines(in: journal, orElse: machine)
            edit = HandEdit(to: values, digest: image.digest, from: baselines)
        }
        var event: JournalMachine.Event?
        return state.withLock { state in
            guard state.version == version else { return false }
            if isKnown {
                event = state.machine.dropEdit()
            } else if state.machine.position == nil, !state.isLoaded {
                state.machine.open(image: values, digest: image.digest)
            } else if state.machine.position == nil {
                event = state.machine.take(image: values, digest: image.digest)
            } else if let edit {
                event = state.machine.take(edit)
            }
            // The file before is closed with the caller's copy, not here.
            state.image = image
            state.doubt = nil
            publish(event.map { [$0] } ?? [], in: &state, effects: &effects)
            return true
        }
    }

    /// Returns the images that a journal tells edits from.
    func baselines(
        in journal: OpenFile,
        orElse machine: JournalMachine
    ) throws(KVStoreError) -> [JournalText.Contents.Baseline] {
        if case .success(let contents) = try engine.contents(of: journal), let base = contents.base
        {
            return contents.replayed(over: base).baselines
        }
        // What stands in the image and not in memory must then be an edit.
        return [JournalText.Contents.Baseline(digest: nil, values: machine.journalValues)]
    }

    // MARK: Doubts

    /// Returns how long a file that is missing or bad has been so; nil if memory has changed.
    private func doubtTime(
        _ status: FileStatus?,
        _ code: KVStoreError.Code?,
        _ version: UInt64
    ) -> Duration? {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard state.version == version else { return nil }
            if let doubt = state.doubt, doubt.status == status, doubt.code == code {
                return now - doubt.since
            }
            state.doubt = Doubt(status: status, code: code, since: now)
            return .zero
        }
    }

    /// Notes an image that cannot be read, and tells what to conclude.
    private func doubt(
        _ trouble: JSONFileTrouble,
        _ version: UInt64,
        effects: inout CommitHub.Effects
    ) -> Outcome? {
        guard let time = doubtTime(trouble.status, trouble.error.code, version) else { return nil }
        if time < Self.settlingTime, engine.isFresh(trouble.status, within: Self.settlingTime) {
            return .unsettled
        }
        let image = JSONFileImage(
            file: trouble.file,
            status: trouble.status,
            digest: trouble.digest,
            isFresh: false,
            trouble: trouble.error
        )
        var isNews = false
        let isNoted = state.withLock { state in
            guard state.version == version else { return false }
            let old = state.image
            isNews =
                state.isLoaded
                && (old.trouble?.code != trouble.error.code || old.digest != trouble.digest)
            state.image = image
            state.version += 1
            return true
        }
        guard isNoted else { return nil }
        if isNews {
            effects.report(
                KVStoreError(
                    trouble.error.code,
                    reason: "\(trouble.error.reason) The last good values stay in force; commits "
                        + "are kept in the journal until the file is repaired.",
                    file: trouble.error.file,
                    line: trouble.error.line,
                    column: trouble.error.column
                )
            )
        }
        return .bad(trouble.error)
    }

    /// Notes that there is no image, and tells whether that is to be taken in.
    private func missing(_ version: UInt64, effects: inout CommitHub.Effects) -> Outcome? {
        let isWiped = isWiped(.absent)
        if state.withLock({ $0.machine.knows(nil) }), !isWiped { return .current }
        guard let time = doubtTime(nil, nil, version) else { return nil }
        if time < Self.settlingTime { return .unsettled }
        guard isWiped else { return .current }
        var event: JournalMachine.Event?
        state.withLock { state in
            guard state.version == version else { return }
            event = state.machine.clear()
            state.image = .absent
            state.doubt = nil
            state.journal = nil
            state.noteOutdated()
            state.defect = nil
            publish(event.map { [$0] } ?? [], in: &state, effects: &effects)
        }
        return nil
    }

    /// Whether there is no image though the journal knows of one, as when a store is opened after
    /// the image was deleted.
    private func isUnexplained(_ image: JSONFileImage) -> Bool {
        guard image.status == nil, image.trouble == nil else { return false }
        return state.withLock { state in
            guard let edit = state.machine.edit else { return !state.machine.knows(nil) }
            return edit.edit.digest != nil
        }
    }

    /// Whether both files have been removed.
    private func isWiped(_ image: JSONFileImage) -> Bool {
        guard image.status == nil, image.trouble == nil else { return false }
        return state.withLock { $0.journal }.map(isGone) ?? false
    }

    /// Whether a journal has lost its name and no other has taken it.
    private func isGone(_ journal: OpenFile) -> Bool {
        do throws(SystemError) {
            guard try journal.status().linkCount == 0 else { return false }
            _ = try engine.system.status(at: engine.journalPath)
            return false
        } catch {
            return error.isAbsence
        }
    }
}
