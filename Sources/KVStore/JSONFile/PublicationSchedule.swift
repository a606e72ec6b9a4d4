import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// When a store's image is written: after a pause in its commits, when the journal has outgrown it,
/// and at the end.
///
/// A process that committed does it; one that dies leaves it to the next that commits. After a
/// failure it is tried again after twice the time each.
package final class PublicationSchedule: Sendable {
    /// The pause in commits after which the image is written.
    static let pause = Duration.milliseconds(500)

    /// The least number of bytes of records that a journal may have.
    static let leastLimit = 64 << 10

    private struct State {
        var isTimed = false
        var isRunning = false
        var failures = 0
        var next = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let turn = DispatchSemaphore(value: 1)

    package init() {}

    /// Runs a body while no other thread publishes.
    func alone(_ body: () throws -> Void) rethrows {
        turn.wait()
        defer { turn.signal() }
        try body()
    }

    /// Whether a timer has to be started.
    fileprivate func startTimer() -> Bool {
        state.withLock { state in
            defer { state.isTimed = true }
            return !state.isTimed
        }
    }

    fileprivate func endTimer() {
        state.withLock { $0.isTimed = false }
    }

    /// Whether to publish now: nobody is at it, and it has not just failed.
    fileprivate func begin() -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard !state.isRunning, state.failures == 0 || now >= state.next else { return false }
            state.isRunning = true
            return true
        }
    }

    /// Notes how publishing went.
    ///
    /// - Returns: After how many seconds to try again, and whether the failure is the first; nil
    ///   after a success.
    fileprivate func end(hasFailed: Bool) -> (seconds: Int, isFirst: Bool)? {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.isRunning = false
            guard hasFailed else {
                state.failures = 0
                return nil
            }
            let seconds = 1 << min(state.failures, 8)
            state.next = now + .seconds(seconds)
            state.failures += 1
            return (seconds, state.failures == 1)
        }
    }
}

extension JournaledFile {
    /// Sees to it that what was committed is published some time.
    func publicationIsDue() {
        if !isPending.exchange(true, ordering: .relaxed) { PendingPublications.insert(self) }
        let (size, limit) = state.withLock { state in
            let size = (state.machine.position?.offset ?? 0) - state.baseLength
            return (size, max(PublicationSchedule.leastLimit, state.baseLength))
        }
        if size > limit, schedule.begin() {
            // On this thread once the other cannot keep up.
            if size > 4 * limit { return publishQuietly(hasBegun: true, isOutgrown: true) }
            DispatchQueue.global(qos: .utility).async {
                self.publishQuietly(hasBegun: true, isOutgrown: true)
            }
        }
        if schedule.startTimer() { startTimer() }
    }

    private func startTimer() {
        let sequence = state.withLock { $0.machine.sequence }
        let pause = PublicationSchedule.pause.components
        let nanoseconds =
            Int(pause.seconds) * 1_000_000_000 + Int(pause.attoseconds / 1_000_000_000)
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .nanoseconds(nanoseconds)
        ) {
            guard self.state.withLock({ $0.machine.sequence }) == sequence else {
                return self.startTimer()
            }
            self.schedule.endTimer()
            self.publishQuietly()
        }
    }

    /// Publishes, and reports the first failure.
    ///
    /// - Parameters:
    ///   - deadline: How long to wait for other writers.
    ///   - hasBegun: Whether the schedule was told.
    ///   - isOutgrown: Whether the journal is to be made smaller even if the image cannot be written.
    func publishQuietly(
        deadline: Duration = JSONFileLock.deadline,
        hasBegun: Bool = false,
        isOutgrown: Bool = false
    ) {
        guard hasBegun || schedule.begin() else { return }
        var failure: KVStoreError?
        do {
            try publish(deadline: deadline)
            isPending.store(false, ordering: .sequentiallyConsistent)
            PendingPublications.remove(self)
            // A commit that came meanwhile thought that it was known to be pending.
            if needsPublication, !isPending.exchange(true, ordering: .relaxed) {
                PendingPublications.insert(self)
            }
        } catch let error as KVStoreError {
            failure = error
        } catch {
            failure = KVStoreError(.unwritable, reason: "\(error)", file: engine.path)
        }
        if failure != nil, isOutgrown { compactQuietly() }
        guard let retry = schedule.end(hasFailed: failure != nil), let failure,
            !hasLostJournal
        else { return }
        // A bad edit was reported when it was found.
        if retry.isFirst, failure.code != .corrupt, failure.code != .busy {
            KVStoreError.report(failure)
        }
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .milliseconds(retry.seconds * 1000 + 50)
        ) {
            self.publishQuietly()
        }
    }

    /// Makes the journal smaller without writing the image.
    private func compactQuietly() {
        var effects = CommitHub.Effects()
        defer { effects.perform() }
        do {
            try writing(makesFolders: false) { page in
                try prepare(page, effects: &effects)
                try startJournal(page, effects: &effects)
            }
        } catch {
            // The journal goes on as it is, and growing, it is tried again.
        }
    }

    /// Publishes when the last store on the files goes.
    ///
    /// On the main thread of an app, where a disk is not to be waited for, it is left to another.
    package func close() {
        guard needsPublication, isPending.load(ordering: .relaxed) else { return }
        #if canImport(Darwin)
        if pthread_main_np() != 0 {
            DispatchQueue.global(qos: .utility).async { self.publishQuietly() }
            return
        }
        #endif
        publishQuietly(deadline: .milliseconds(100))
    }
}

/// The files to which this process has committed what their images lack.
///
/// It keeps them until they are published, also beyond their last store, and publishes them when
/// the process ends in an orderly way.
enum PendingPublications {
    private static let files = Mutex<[ObjectIdentifier: JournaledFile]>([:])

    private static let isArmed: Bool = atexit { PendingPublications.publishAll() } == 0

    static func insert(_ file: JournaledFile) {
        _ = isArmed
        files.withLock { files in
            let id = ObjectIdentifier(file)
            if files[id] == nil { files[id] = file }
        }
    }

    static func remove(_ file: JournaledFile) {
        let removed = files.withLock { $0.removeValue(forKey: ObjectIdentifier(file)) }
        withExtendedLifetime(removed) {}
    }

    private static func publishAll() {
        for file in files.withLock({ Array($0.values) }) {
            file.publishQuietly(deadline: .seconds(1))
        }
    }
}
