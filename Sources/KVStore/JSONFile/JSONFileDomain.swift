import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A domain in a JSON file, which other processes and people write too.
///
/// The values are kept in memory; each read asks the system whether the file is still the one they
/// were read from. While there are subscriptions, the file is watched too. Locks are taken in this
/// order: gate, file lock, state; the lock of the watcher is taken inside none of them.
package final class JSONFileDomain: StoreDomain {
    /// How long a file must stand unchanged before it counts as missing or broken: an editor may be
    /// in the middle of saving it.
    private static let settlingTime = Duration.milliseconds(100)

    /// A file that is missing or cannot be read, though the domain has values of it.
    private struct Doubt {
        let status: FileStatus?
        let error: KVStoreError?
        let since: ContinuousClock.Instant
        var isReported = false
    }

    private struct State {
        var image = JSONFileImage.absent
        var hub = CommitHub()
        /// Goes up with every new image, so that one read meanwhile can be seen to be old.
        var version: UInt64 = 0
        var isLoaded = false
        /// While a commit of this process is on its way to the disk, what stands there is not to be
        /// taken for somebody else's.
        var isCommitting = false
        var doubt: Doubt?
    }

    /// The watcher, while there are subscriptions.
    private struct Watching {
        var subscriptionCount = 0
        var watcher: FolderWatcher?
    }

    /// What comparing memory with the file came to.
    private enum Outcome {
        case current
        /// Too early to tell.
        case unsettled
        case bad(KVStoreError)
    }

    package let turns = TurnQueue()
    private let engine: JSONFileEngine
    private let gate = WriterGate()
    private let hasCleaned = Atomic<Bool>(false)
    private let state = Mutex(State())
    private let watching = Mutex(Watching())

    package init(_ engine: JSONFileEngine) {
        self.engine = engine
    }

    deinit {
        let hub = state.withLock { $0.hub }
        hub.finish()
    }

    // MARK: Opening

    /// Reads the file, unless that was done before.
    package func load(quarantining: Bool) throws {
        if state.withLock({ $0.isLoaded }) { return catchUp() }
        var image: JSONFileImage
        do throws(JSONFileTrouble) {
            image = try settledRead()
        } catch {
            guard quarantining, error.error.code == .corrupt else { throw error.error }
            image = try quarantine()
        }
        state.withLock { state in
            if state.isLoaded { return }
            state.isLoaded = true
            // The old image is the empty one, which has nothing to release.
            state.image = image
        }
    }

    /// Reads the file; one that cannot be understood gets time to be saved completely.
    private func settledRead() throws(JSONFileTrouble) -> JSONFileImage {
        let end = ContinuousClock.now + Self.settlingTime
        while true {
            do throws(JSONFileTrouble) {
                return try engine.read()
            } catch  where error.error.code == .corrupt && engine.isFresh(error.status) {
                guard ContinuousClock.now < end else { throw error }
                usleep(5000)
            }
        }
    }

    private func quarantine() throws -> JSONFileImage {
        try engine.withLock(like: nil) { _ in
            do throws(JSONFileTrouble) {
                return try settledRead()
            } catch {
                guard error.error.code == .corrupt else { throw error.error }
                let path = try engine.moveAside()
                KVStoreError.report(
                    KVStoreError(
                        .corrupt,
                        reason: "\(error.error.reason) It was moved to \(path), "
                            + "and the store starts empty.",
                        file: engine.path,
                        line: error.error.line,
                        column: error.error.column
                    )
                )
                return .absent
            }
        }
    }

    // MARK: Reading

    package func storedValue(for name: String) -> PropertyListValue? {
        guard name.utf8.count <= KeyName.maximumLength else { return nil }
        catchUp()
        return state.withLock { $0.image.values[name] }
    }

    package func storedValues() -> [String: PropertyListValue] {
        catchUp()
        return state.withLock { $0.image.values }
    }

    package func valueBehindAbsence(of name: String) -> PropertyListValue? {
        nil
    }

    /// Takes in what others did to the file.
    package func catchUp() {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        _ = compare(effects: &effects)
    }

    /// Takes in what others did to the file, as often as it takes to be sure.
    ///
    /// - Throws: Why the file cannot be read.
    private func settle(effects: inout CommitHub.Effects) throws {
        while true {
            switch compare(isThorough: true, effects: &effects) {
            case .current: return
            case .unsettled: usleep(5000)
            case .bad(let error): throw error
            }
        }
    }

    /// Compares memory with the file once, and takes in and publishes what differs.
    private func compare(
        isThorough: Bool = false,
        effects: inout CommitHub.Effects
    ) -> Outcome {
        while true {
            let (image, version, isCommitting) = state.withLock {
                ($0.image, $0.version, $0.isCommitting)
            }
            if isCommitting { return .current }
            let new: JSONFileImage
            do throws(JSONFileTrouble) {
                let status = try engine.status()
                if status == image.status, !(isThorough && engine.hasSecretlyChanged(image)) {
                    if let outcome = withdrawDoubt(version) { return outcome }
                    continue
                }
                if let status, let known = knownTrouble(with: status) { return known }
                new = try engine.read()
            } catch {
                guard let outcome = doubt(error.status, error.error, version) else { continue }
                return outcome
            }
            if new.status == nil, image.status != nil {
                let outcome = doubt(nil, nil, version)
                guard case .current = outcome else {
                    if let outcome { return outcome }
                    continue
                }
            }
            if take(new, over: image, version: version, effects: &effects) { return .current }
        }
    }

    /// Makes an image the one in force, unless another came first.
    private func take(
        _ new: JSONFileImage,
        over image: JSONFileImage,
        version: UInt64,
        effects: inout CommitHub.Effects
    ) -> Bool {
        let changes = Self.changes(from: image.values, to: new.values)
        let log = changes.isEmpty ? nil : engine.publications()
        let entry = new.digest.flatMap { log?.entry(with: $0) }
        let isNext = entry.map { entry in
            image.digest.map { log?.isNext(entry, after: $0) == true } ?? (entry.number == 1)
        }
        return state.withLock { state in
            guard state.version == version, !state.isCommitting else { return false }
            // The caller holds the old image, so nothing is released under the lock.
            state.image = new
            state.version += 1
            state.doubt = nil
            guard !changes.isEmpty else { return true }
            state.hub.publish(
                changes,
                by: nil,
                foreignOrigin: entry == nil ? .fileEdit : .anotherProcess,
                isMerged: isNext == false,
                effects: &effects
            )
            return true
        }
    }

    private static func changes(
        from old: [String: PropertyListValue],
        to new: [String: PropertyListValue]
    ) -> [KVCommit.Change] {
        var changes: [KVCommit.Change] = []
        for (name, value) in new {
            let before = old[name]
            if before != value {
                changes.append(KVCommit.Change(name: name, old: before, new: value))
            }
        }
        for (name, value) in old where new[name] == nil {
            changes.append(KVCommit.Change(name: name, old: value, new: nil))
        }
        return changes
    }

    // MARK: Doubts

    private func withdrawDoubt(_ version: UInt64) -> Outcome? {
        state.withLock { state in
            guard state.version == version else { return nil }
            state.doubt = nil
            return .current
        }
    }

    /// Returns what is known of a file that could not be read, if it is still the same.
    private func knownTrouble(with status: FileStatus) -> Outcome? {
        state.withLock { state in
            guard let doubt = state.doubt, doubt.status == status, doubt.isReported else {
                return nil
            }
            return doubt.error.map(Outcome.bad)
        }
    }

    /// Notes that the file is missing or cannot be read, and tells what to conclude.
    ///
    /// - Returns: `current` for a missing file that has been missing long enough; nil if another
    ///   image came into force meanwhile.
    private func doubt(
        _ status: FileStatus?,
        _ error: KVStoreError?,
        _ version: UInt64
    ) -> Outcome? {
        let now = ContinuousClock.now
        var report: KVStoreError?
        let outcome: Outcome? = state.withLock { state in
            guard state.version == version else { return nil }
            let isKnown = state.doubt.map {
                $0.status == status && $0.error?.code == error?.code
            }
            if isKnown != true {
                state.doubt = Doubt(status: status, error: error, since: now)
            }
            guard let doubt = state.doubt, now - doubt.since >= Self.settlingTime else {
                return .unsettled
            }
            guard let error else { return .current }
            if !doubt.isReported { report = error }
            state.doubt?.isReported = true
            return .bad(error)
        }
        if let report {
            KVStoreError.report(
                KVStoreError(
                    report.code,
                    reason: "\(report.reason) The last good values stay in force, and nothing is "
                        + "stored until the file is repaired.",
                    file: report.file,
                    line: report.line,
                    column: report.column
                )
            )
        }
        return outcome
    }

    // MARK: Writing

    /// Stores one value, blindly.
    package func set(_ value: PropertyListValue?, for name: String, by handle: HandleID) throws {
        guard KeyName.isValid(name) else { throw KVStoreError.invalidKey(name) }
        let changes = try [name: value?.validated()]
        let draft = KVTransaction.Draft(expectation: KVExpectation(), changes: changes)
        // A draft that relies on nothing cannot be out of date.
        _ = try commit(draft, by: handle)
    }

    package func commit(_ draft: KVTransaction.Draft, by handle: HandleID) throws -> Bool {
        try turns.admitWriter()
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        return try gate.pass {
            let status = state.withLock { $0.image.status }
            return try engine.withLock(like: status) { lockFile in
                if !hasCleaned.exchange(true, ordering: .relaxed) { engine.removeLeftovers() }
                while true {
                    try settle(effects: &effects)
                    if let isCommitted = try commitSettled(
                        draft,
                        by: handle,
                        holding: lockFile,
                        effects: &effects
                    ) {
                        return isCommitted
                    }
                }
            }
        }
    }

    /// Commits over the image in force; nil if the file was edited in this moment.
    private func commitSettled(
        _ draft: KVTransaction.Draft,
        by handle: HandleID,
        holding lockFile: OpenFile,
        effects: inout CommitHub.Effects
    ) throws -> Bool? {
        var changes: [KVCommit.Change] = []
        let (image, isMet) = state.withLock { state in
            let isMet = draft.expectation.isMet(by: state.image.values)
            if isMet {
                for (name, new) in draft.changes {
                    let old = state.image.values[name]
                    if old != new {
                        changes.append(KVCommit.Change(name: name, old: old, new: new))
                    }
                }
                state.isCommitting = !changes.isEmpty
            }
            return (state.image, isMet)
        }
        guard isMet, !changes.isEmpty else { return isMet }
        var values = image.values
        for change in changes { values[change.name] = change.new }
        let replacement: (image: JSONFileImage, flushError: KVStoreError?)?
        do throws(KVStoreError) {
            replacement = try engine.replace(image, by: values, holding: lockFile)
        } catch {
            state.withLock { $0.isCommitting = false }
            throw error
        }
        state.withLock { state in
            state.isCommitting = false
            guard let replacement else { return }
            state.image = replacement.image
            state.version += 1
            state.doubt = nil
            state.hub.publish(changes, by: handle, effects: &effects)
        }
        guard let replacement else { return nil }
        if let error = replacement.flushError { throw error }
        return true
    }

    /// Takes in what others did, and throws if the file cannot be read.
    package func flush() throws {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        try settle(effects: &effects)
    }

    // MARK: Observing

    package func subscribe(
        _ sink: CommitHub.Sink,
        to names: [String]?,
        initial: Bool,
        by handle: HandleID
    ) -> KVSubscription {
        // First the watcher, then the look, so that no change falls in between.
        startWatching()
        catchUp()
        let registration = state.withLock { state in
            state.hub.register(
                sink,
                names: names,
                values: (names ?? []).map { state.image.values[$0] },
                initial: initial,
                handle: handle
            )
        }
        return KVSubscription(registration, with: self)
    }

    package func deregister(_ registration: CommitHub.Registration) {
        if state.withLock({ $0.hub.deregister(registration) }) { stopWatching() }
    }

    private func startWatching() {
        let isNeeded = watching.withLock { watching in
            watching.subscriptionCount += 1
            return watching.watcher == nil
        }
        guard isNeeded else { return }
        // Not under the lock: a failure is reported to a handler of the program.
        let watcher = engine.watch { [weak self] in self?.look() }
        let isUsed = watching.withLock { watching in
            guard watching.watcher == nil, watching.subscriptionCount > 0 else { return false }
            watching.watcher = watcher
            return true
        }
        if !isUsed { watcher.cancel() }
    }

    private func stopWatching() {
        let watcher: FolderWatcher? = watching.withLock { watching in
            watching.subscriptionCount -= 1
            guard watching.subscriptionCount == 0 else { return nil }
            return watching.watcher.take()
        }
        watcher?.cancel()
    }

    /// Whether the file is being watched.
    package var isWatching: Bool { watching.withLock { $0.watcher != nil } }

    /// Looks after a change, and once more when the file has had time to settle.
    private func look() {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        if case .unsettled = compare(isThorough: true, effects: &effects) {
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(110)) {
                [weak self] in
                self?.look()
            }
        }
    }
}
