import Dispatch
import Synchronization

// Changes that others make to a shared medium are found by comparison: with what subscribers were
// told last. Everything here runs in the gate, so nothing is committed meanwhile.

extension BackendDomain {
    /// What the subscribers of a shared medium have been told.
    struct Tracking: Sendable {
        /// The domain's own values, and for names that are followed what lies behind absence; nil
        /// while nobody observes.
        var known: [String: PropertyListValue]?
        var watch: (any AnyObject & Sendable)?
    }

    var isTracking: Bool {
        tracking.withLock { $0.known != nil }
    }

    /// Begins to follow a shared medium, or brings what is known up to date, before a subscription
    /// to some names is registered.
    ///
    /// - Returns: What is known, the names included, all of it of one moment; nil if the medium is
    ///   not a shared one or cannot be read.
    func startTracking(
        _ names: [String],
        effects: inout CommitHub.Effects
    ) -> [String: PropertyListValue]? {
        guard let shared = backend as? any SharedBackend else { return nil }
        var result: [String: PropertyListValue]?
        KVStoreError.reporting {
            if isTracking {
                try publishForeignChanges(effects: &effects)
            } else {
                // Watched first and looked at then, so that no change falls in between.
                let watch = shared.watch { [weak self] in self?.catchUp() }
                tracking.withLock { $0 = Tracking(known: [:], watch: watch) }
                _ = try shared.refresh()
                remember(try trackedValues())
            }
            shared.follow(names)
            var known = tracking.withLock { $0.known } ?? [:]
            for name in names where known[name] == nil {
                known[name] = try valueBehindAbsence(of: name)
            }
            remember(known)
            result = known
        }
        return result
    }

    /// Notes what the subscribers have been told.
    private func remember(_ known: [String: PropertyListValue]) {
        let displaced = tracking.withLock { tracking in
            defer { tracking.known = known }
            return tracking.known
        }
        withExtendedLifetime(displaced) {}  // Released under no lock: `Data` has deallocators.
    }

    /// Ends following a shared medium once nobody observes.
    ///
    /// Later and elsewhere, because whoever cancels a subscription must not wait for writers.
    func stopTrackingSoon() {
        guard isTracking, hub.withLock({ $0.subscriptionCount }) == 0 else { return }
        DispatchQueue.global().async { [weak self] in
            KVStoreError.reporting { try self?.gate.pass { self?.stopTrackingIfUnobserved() } }
        }
    }

    private func stopTrackingIfUnobserved() {
        guard hub.withLock({ $0.subscriptionCount }) == 0 else { return }
        let ended = tracking.withLock { tracking in
            let ended = tracking
            tracking = Tracking()
            return ended
        }
        _ = ended  // Released here, outside the lock.
    }

    /// Takes in and publishes what others wrote.
    package func catchUp() {
        var effects = CommitHub.Effects()
        do {
            try gate.pass {
                guard isTracking, let shared = backend as? any SharedBackend else { return }
                if try shared.refresh() { try publishForeignChanges(effects: &effects) }
            }
        } catch let error as KVStoreError where error.code == .busy {
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
                self?.catchUp()
            }
        } catch {
            KVStoreError.report(error)
        }
        effects.perform()
    }

    /// Publishes a commit of this domain, after what others were found to have written before it
    /// and before what they have since.
    func publishTracked(
        _ changes: [String: PropertyListValue?],
        over expectation: KVExpectation,
        by handle: HandleID,
        effects: inout CommitHub.Effects
    ) {
        let known = tracking.withLock { $0.known } ?? [:]
        var present = known
        let isRead = KVStoreError.reporting { present = try trackedValues() }
        var before = present
        for name in changes.keys { before[name] = expectation.values[name] ?? nil }
        if isRead { publish(from: known, to: before, effects: &effects) }
        var after = before
        for change in publish(changes, over: expectation, by: handle, effects: &effects) {
            after[change.name] = change.new
        }
        guard isRead else {
            remember(after)
            return
        }
        for (name, value) in changes where value == nil && present[name] == nil {
            // What a removal revealed is tracked only where the name is followed.
            after[name] = nil
        }
        publish(from: after, to: present, effects: &effects)
        remember(present)
    }

    private func publishForeignChanges(effects: inout CommitHub.Effects) throws {
        let present = try trackedValues()
        let known = tracking.withLock { $0.known } ?? [:]
        remember(present)
        publish(from: known, to: present, effects: &effects)
    }

    private func trackedValues() throws -> [String: PropertyListValue] {
        var values = try backend.readAll()
        for name in hub.withLock({ $0.followedNames }) where values[name] == nil {
            values[name] = try valueBehindAbsence(of: name)
        }
        return values
    }

    /// Publishes the difference between two states as one commit of others.
    private func publish(
        from known: [String: PropertyListValue],
        to present: [String: PropertyListValue],
        effects: inout CommitHub.Effects
    ) {
        var changes: [KVCommit.Change] = []
        for (name, old) in known {
            let new = present[name]
            if new == old { continue }
            let revealed = new ?? valueRevealed(at: name)
            if revealed == old { continue }
            changes.append(KVCommit.Change(name: name, old: old, new: revealed))
        }
        for (name, new) in present where known[name] == nil {
            changes.append(KVCommit.Change(name: name, old: nil, new: new))
        }
        guard !changes.isEmpty else { return }
        hub.withLock { $0.publish(changes, by: nil, isMerged: true, effects: &effects) }
    }
}
