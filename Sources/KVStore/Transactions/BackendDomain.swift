import Synchronization

/// A domain on a backend: commits pass one gate, in which they are compared, stored and published.
package final class BackendDomain<Backend: KVBackend>: StoreDomain {
    package let backend: Backend
    package let turns = TurnQueue()
    let gate = WriterGate()
    let hub = Mutex(CommitHub())
    /// What is known of a medium that others write too, while somebody observes.
    let tracking = Mutex(Tracking())

    package init(_ backend: Backend) {
        self.backend = backend
    }

    deinit {
        let subscriptions = hub.withLock { $0 }
        subscriptions.finish()
    }

    package func storedValue(for name: String) throws -> PropertyListValue? {
        guard KeyName.isValid(name) else { return nil }
        return try backend.read(name)
    }

    package func storedValues() throws -> [String: PropertyListValue] {
        try backend.readAll()
    }

    package func valueBehindAbsence(of name: String) throws -> PropertyListValue? {
        if let shared = backend as? any SharedBackend {
            return try shared.valueBehindAbsence(of: name)
        }
        guard let value = try storedValue(for: name) else { return nil }
        // Either a layer beneath the domain gives the value, or it was stored since the snapshot,
        // in which the transaction must go on seeing it as absent.
        return try backend.readAll()[name] == nil ? value : nil
    }

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
        let isCommitted = try gate.pass {
            let end = ContinuousClock.now + TransactionEngine.deadline
            var tries = 0
            while tries < TransactionEngine.leastRuns || ContinuousClock.now < end {
                tries += 1
                // The values that go into the commit's changes are part of what it expects, so
                // that they are right even if another process writes at this moment.
                guard let expectation = try expectation(of: draft) else { return false }
                guard try backend.commit(expecting: expectation, changes: draft.changes) else {
                    continue
                }
                if isTracking {
                    publishTracked(draft.changes, over: expectation, by: handle, effects: &effects)
                } else {
                    publish(draft.changes, over: expectation, by: handle, effects: &effects)
                }
                return true
            }
            throw KVStoreError(
                .busy,
                reason: "Other processes kept changing the same keys. Nothing was stored."
            )
        }
        effects.perform()
        return isCommitted
    }

    package func subscribe(
        _ sink: CommitHub.Sink,
        to names: [String]?,
        initial: Bool,
        by handle: HandleID
    ) -> KVSubscription {
        let register = { [self] (effects: inout CommitHub.Effects) in
            let known = startTracking(names ?? [], effects: &effects)
            let values = (names ?? []).map { name in
                if let known { return known[name] }
                do {
                    return try storedValue(for: name)
                } catch {
                    return nil
                }
            }
            return hub.withLock { hub in
                hub.register(
                    sink,
                    names: names,
                    values: values,
                    initial: initial,
                    handle: handle
                )
            }
        }
        let registration: CommitHub.Registration
        var effects = CommitHub.Effects()
        do {
            // In the gate no commit comes between reading the values and registering.
            registration = try gate.pass { register(&effects) }
        } catch {
            KVStoreError.report(error)
            registration = register(&effects)
        }
        effects.perform()
        return KVSubscription(registration, with: self)
    }

    package func deregister(_ registration: CommitHub.Registration) {
        if hub.withLock({ $0.deregister(registration) }) { stopTrackingSoon() }
    }

    /// Returns what a draft relies on, with the present values of what it changes; nil if the
    /// draft is out of date.
    private func expectation(of draft: KVTransaction.Draft) throws -> KVExpectation? {
        var expectation = draft.expectation
        for name in draft.changes.keys {
            let present = try backend.read(name)
            if let expected = expectation.values[name], expected != present { return nil }
            expectation.values.updateValue(present, forKey: name)
        }
        for (name, expected) in draft.expectation.values where draft.changes[name] == nil {
            if try backend.read(name) != expected { return nil }
        }
        if let domain = expectation.domain, try backend.readAll() != domain { return nil }
        return expectation
    }

    @discardableResult
    func publish(
        _ changes: [String: PropertyListValue?],
        over expectation: KVExpectation,
        by handle: HandleID,
        effects: inout CommitHub.Effects
    ) -> [KVCommit.Change] {
        var published: [KVCommit.Change] = []
        for (name, value) in changes {
            let old = expectation.values[name] ?? nil
            let new = value ?? valueRevealed(at: name)
            if old != new { published.append(KVCommit.Change(name: name, old: old, new: new)) }
        }
        guard !published.isEmpty else { return [] }
        hub.withLock { $0.publish(published, by: handle, effects: &effects) }
        return published
    }

    /// Returns what a layer beneath gives for a name that was removed.
    ///
    /// The removal is stored already, so a failure to read must not look like one to write.
    func valueRevealed(at name: String) -> PropertyListValue? {
        do {
            // Not by reading the name, which others may have set since.
            if let shared = backend as? any SharedBackend {
                return try shared.valueBehindAbsence(of: name)
            }
            return try backend.read(name)
        } catch {
            KVStoreError.report(error)
            return nil
        }
    }
}
