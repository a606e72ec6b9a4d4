import Synchronization

/// A domain in memory: its values and its subscriptions behind one lock.
package final class MemoryDomain: StoreDomain {
    private struct State {
        var values: [String: PropertyListValue]
        var hub = CommitHub()
    }

    private let state: Mutex<State>
    private let isReadOnly: Bool
    package let turns = TurnQueue()

    package init() {
        state = Mutex(State(values: [:]))
        isReadOnly = false
    }

    /// Creates a domain whose values never change.
    init(readOnly values: [String: PropertyListValue]) {
        state = Mutex(State(values: values))
        isReadOnly = true
    }

    deinit {
        let hub = state.withLock { $0.hub }
        hub.finish()
    }

    /// How many subscriptions there are.
    package var subscriptionCount: Int {
        state.withLock { $0.hub.subscriptionCount }
    }

    package func storedValue(for name: String) -> PropertyListValue? {
        guard name.utf8.count <= KeyName.maximumLength else { return nil }
        return state.withLock { $0.values[name] }
    }

    package func storedValues() -> [String: PropertyListValue] {
        state.withLock { $0.values }
    }

    package func valueBehindAbsence(of name: String) -> PropertyListValue? {
        nil
    }

    /// Stores one value, blindly.
    package func set(_ value: PropertyListValue?, for name: String, by handle: HandleID) throws {
        try turns.admitWriter()
        if isReadOnly { throw Self.refusal }
        guard name.utf8.count <= KeyName.maximumLength else { throw KVStoreError.invalidKey(name) }
        guard let value else { return try remove(name, by: handle) }
        let new = value.needsValidation ? try value.validated() : value
        var isLegal = true
        var effects: CommitHub.Effects?
        // What was replaced is released after unlocking: `Data` has deallocators.
        let old = state.withLock { state -> PropertyListValue? in
            // One look-up: a name that was there is legal, since it was checked when it came in.
            let old = state.values.updateValue(new, forKey: name)
            if let old {
                if old == value { return old }
            } else if !KeyName.isValid(name) {
                state.values.removeValue(forKey: name)
                isLegal = false
                return old
            }
            effects = state.hub.publish(name: name, old: old, new: new, by: handle)
            return old
        }
        withExtendedLifetime(old) {}
        guard isLegal else { throw KVStoreError.invalidKey(name) }
        effects?.perform()
    }

    private static var refusal: KVStoreError {
        KVStoreError(
            .unwritable,
            reason: "The store holds launch arguments, which do not change. Nothing was stored."
        )
    }

    private func remove(_ name: String, by handle: HandleID) throws {
        guard KeyName.isValid(name) else { throw KVStoreError.invalidKey(name) }
        var effects: CommitHub.Effects?
        let old = state.withLock { state in
            let old = state.values.removeValue(forKey: name)
            if old != nil {
                effects = state.hub.publish(name: name, old: old, new: nil, by: handle)
            }
            return old
        }
        withExtendedLifetime(old) {}
        effects?.perform()
    }

    package func commit(_ draft: KVTransaction.Draft, by handle: HandleID) throws -> Bool {
        try turns.admitWriter()
        if isReadOnly { throw Self.refusal }
        var effects = CommitHub.Effects()
        var changes: [KVCommit.Change] = []
        let isCommitted = state.withLock { state in
            guard draft.expectation.isMet(by: state.values) else { return false }
            for (name, new) in draft.changes {
                let old = state.values[name]
                if old == new { continue }
                state.values[name] = new
                changes.append(KVCommit.Change(name: name, old: old, new: new))
            }
            if !changes.isEmpty { state.hub.publish(changes, by: handle, effects: &effects) }
            return true
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
        let registration = state.withLock { state in
            state.hub.register(
                sink,
                names: names,
                values: (names ?? []).map { state.values[$0] },
                initial: initial,
                handle: handle
            )
        }
        return KVSubscription(registration, with: self)
    }

    package func deregister(_ registration: CommitHub.Registration) {
        _ = state.withLock { $0.hub.deregister(registration) }
    }
}
