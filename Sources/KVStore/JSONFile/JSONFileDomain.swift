import Dispatch
import Synchronization

/// A domain in a JSON file, which other processes and people write too.
///
/// While there are subscriptions, the files are watched. The lock of the watcher is taken inside no
/// other.
package final class JSONFileDomain: StoreDomain {
    /// The watcher, while there are subscriptions.
    private struct Watching {
        var subscriptionCount = 0
        var watcher: FolderWatcher?
    }

    package let turns = TurnQueue()
    package let file: JournaledFile
    private let watching = Mutex(Watching())

    package init(_ engine: JSONFileEngine) {
        file = JournaledFile(engine)
    }

    deinit {
        let hub = file.state.withLock { state in
            defer { state.hub = CommitHub() }
            return state.hub
        }
        hub.finish()
        file.close()
    }

    // MARK: Reading and writing

    package func storedValue(for name: String) throws -> PropertyListValue? {
        guard name.utf8.count <= KeyName.maximumLength else { return nil }
        return try file.storedValue(for: name)
    }

    package func storedValues() throws -> [String: PropertyListValue] {
        try file.storedValues()
    }

    package func valueBehindAbsence(of name: String) -> PropertyListValue? {
        nil
    }

    package func commit(_ draft: KVTransaction.Draft, by handle: HandleID) throws -> Bool {
        try commit(draft, by: handle, isFlushed: false)
    }

    /// Commits a draft, and waits for the disk if that is asked for.
    package func commit(
        _ draft: KVTransaction.Draft,
        by handle: HandleID,
        isFlushed: Bool
    ) throws -> Bool {
        try turns.admitWriter()
        return try file.commit(by: handle, isFlushed: isFlushed) { values in
            guard draft.expectation.isMet(by: values) else { return nil }
            return draft.changes.compactMap { name, new in
                values[name] == new ? nil : JournalChange(name: name, value: new)
            }
        }
    }

    /// Stores one value, blindly.
    package func set(
        _ value: PropertyListValue?,
        for name: String,
        by handle: HandleID,
        isFlushed: Bool
    ) throws {
        guard KeyName.isValid(name) else { throw KVStoreError.invalidKey(name) }
        let new = try value?.validated()
        try turns.admitWriter()
        _ = try file.commit(by: handle, isFlushed: isFlushed) { values in
            values[name] == new ? [] : [JournalChange(name: name, value: new)]
        }
    }

    /// Takes in what others did, and writes the image if it lacks commits.
    package func flush() throws {
        do {
            try file.refresh()
        } catch let error as KVStoreError where error.code == .corrupt && file.movesBadImages {
            // It is moved out of the way if there is something to put in its place.
            guard file.needsPublication else { throw error }
        }
        try file.publish()
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
        look()
        let registration = file.state.withLock { state in
            state.hub.register(
                sink,
                names: names,
                values: (names ?? []).map { state.machine.values[$0] },
                initial: initial,
                handle: handle
            )
        }
        return KVSubscription(registration, with: self)
    }

    package func deregister(_ registration: CommitHub.Registration) {
        if file.state.withLock({ $0.hub.deregister(registration) }) { stopWatching() }
    }

    private func startWatching() {
        let isNeeded = watching.withLock { watching in
            watching.subscriptionCount += 1
            return watching.watcher == nil
        }
        guard isNeeded else { return }
        // Not under the lock: a failure is reported to a handler of the program.
        let watcher = file.engine.watch { [weak self] in self?.look() }
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

    /// Whether the files are being watched.
    package var isWatching: Bool { watching.withLock { $0.watcher != nil } }

    /// Looks after a change, and again soon where it was too early to tell.
    private func look() {
        guard file.lookQuickly() else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
            self?.look()
        }
    }
}
