#if !canImport(Darwin)
import Dispatch
import Foundation
import KVStore
import Synchronization

// Commits that are put off: kept in memory, and written a moment later as one file.

extension GuardedDomain {
    /// How long a commit waits for others to be written with it.
    private static let pause = DispatchTimeInterval.milliseconds(500)

    /// How many keys may wait: Foundation on Linux looks through all changed keys at each change.
    static let mostPending = 400

    /// Notes changes that are in force and not written, and has them written soon.
    func notePending(_ changes: [String: PropertyListValue?]) {
        let (isDue, isFull) = state.withLock { state in
            state.pending.merge(changes) { $1 }
            defer { state.isScheduled = true }
            return (!state.isScheduled, state.pending.count >= Self.mostPending)
        }
        PendingDomains.note(self)
        if isDue || isFull { schedule(after: isFull ? .milliseconds(0) : Self.pause) }
    }

    private func schedule(after pause: DispatchTimeInterval) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [weak self] in
            self?.writePending()
        }
    }

    /// Writes what was put off; if that fails, it is tried again with the next commit or flush.
    private func writePending() {
        let isPending = state.withLock { state in
            state.isScheduled = false
            return !state.pending.isEmpty
        }
        if isPending { KVStoreError.reporting { try flush() } }
    }
}

/// The domains of which something may be left to write when the program ends.
enum PendingDomains {
    private struct WeakDomain: Sendable {
        weak let domain: GuardedDomain?
    }

    private static let domains = Mutex<[ObjectIdentifier: WeakDomain]>([:])

    /// Asks, once, to be called when the program ends in the ordinary way.
    private static let isArmed = atexit { PendingDomains.flush() } == 0

    /// Has a domain written when the program ends.
    static func note(_ domain: GuardedDomain) {
        _ = isArmed
        domains.withLock { domains in
            let id = ObjectIdentifier(domain)
            guard domains[id]?.domain == nil else { return }
            domains = domains.filter { $0.value.domain != nil }
            domains[id] = WeakDomain(domain: domain)
        }
    }

    private static func flush() {
        for domain in domains.withLock({ $0.values.compactMap(\.domain) })
        where domain.state.withLock({ !$0.pending.isEmpty }) {
            KVStoreError.reporting { try domain.flush() }
        }
    }
}
#endif
