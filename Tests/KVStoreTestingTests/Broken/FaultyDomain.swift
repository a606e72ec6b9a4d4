import Dispatch
import KVStore
import Synchronization

/// A domain in memory with one fault in how it commits or tells of it.
final class FaultyDomain: StoreDomain {
    enum Fault: String, CaseIterable, Sendable {
        /// Has no fault, to show that the rules fail because of the faults.
        case none
        /// Does not compare what a transaction read.
        case losesUpdates
        /// Stores what a transaction changed over all that there was before.
        case savesWholeDomain
        /// Compares what was read, but not what was listed.
        case ignoresListings
        /// Stores a transaction key by key.
        case showsHalf
        /// Tells before it stores.
        case tellsEarly
        /// Does not tell of some changes: those to five.
        case dropsChanges
        /// Tells of some changes twice: those to five.
        case repeatsChanges
        /// Tells of values that did not change.
        case tellsOfEqualValues
        /// Tells of the first key only when several are removed.
        case forgetsRemovals
        /// Tells of each key of a transaction by itself.
        case splitsCommits
        /// Takes the first value before it registers the subscription.
        case subscribesLate
        /// Says that another store made each commit.
        case mistakesOrigin
        /// Does not end its subscriptions when it goes.
        case neverEnds
        /// Keeps everything, whatever the policy.
        case ignoresPolicies
        /// Takes another spelling of a name for another name when it tells.
        case followsSpellings
        /// Does not know that a write comes from inside a body.
        case admitsNestedWrites
        /// Gives the present value whether it is wanted or not.
        case insistsOnPresentValue
        /// Tells of every change as if there had been nothing before.
        case forgetsOldValues
        /// Tells of changes under the name in lower case.
        case tellsFoldedNames
        /// Follows a name that is given twice once.
        case mergesNames
        /// Ends the next subscription too when one is cancelled.
        case cancelsNeighbours
        /// Takes one lock before the other to tell, and after it to cancel.
        case locksInBothOrders
        /// Finds nothing stored for a subscription that is made inside a body.
        case isBlindInsideBodies
        /// Compares values as Swift does, so that 1 and 1.0 are equal.
        case comparesLoosely
    }

    private struct State {
        var values: [String: PropertyListValue] = [:]
        var hub = CommitHub()
        var newest: CommitHub.Registration?

        mutating func apply(_ changes: [KVCommit.Change]) {
            for change in changes { values[change.name] = change.new }
        }
    }

    let fault: Fault
    private let state = Mutex(State())
    private let ownTurns = TurnQueue()
    private let gate = WriterGate()
    private let tellingGate = WriterGate()

    init(_ fault: Fault) {
        self.fault = fault
    }

    deinit {
        guard fault != .neverEnds else { return }
        let hub = state.withLock { $0.hub }
        hub.finish()
    }

    /// A queue of turns that is new each time knows of nobody inside a body.
    var turns: TurnQueue { fault == .admitsNestedWrites ? TurnQueue() : ownTurns }

    func storedValue(for name: String) -> PropertyListValue? {
        guard KeyName.isValid(name) else { return nil }
        return state.withLock { $0.values[name] }
    }

    func storedValues() -> [String: PropertyListValue] {
        state.withLock { $0.values }
    }

    func valueBehindAbsence(of name: String) -> PropertyListValue? {
        nil
    }

    func commit(_ draft: KVTransaction.Draft, by handle: HandleID) throws -> Bool {
        try turns.admitWriter()
        let before = storedValues()
        if fault == .losesUpdates || fault == .savesWholeDomain { pause() }
        let writer = fault == .mistakesOrigin ? HandleID() : handle
        var effects = CommitHub.Effects()
        let isCommitted = try gate.pass {
            let planned = state.withLock { state in
                isMet(draft, by: state.values) ? changes(of: draft, in: state.values) : nil
            }
            guard let planned else { return false }
            switch fault {
            case .tellsEarly:
                var early = CommitHub.Effects()
                state.withLock { tell(planned, in: &$0.hub, by: writer, effects: &early) }
                early.perform()
                pause()
                state.withLock { $0.apply(planned) }
            case .showsHalf:
                for (index, change) in planned.enumerated() {
                    if index > 0 { pause() }
                    state.withLock { $0.apply([change]) }
                }
                state.withLock { tell(planned, in: &$0.hub, by: writer, effects: &effects) }
            case .locksInBothOrders:
                try tellingGate.pass {
                    state.withLock { state in
                        state.apply(planned)
                        tell(planned, in: &state.hub, by: writer, effects: &effects)
                    }
                }
            default:
                state.withLock { state in
                    if fault == .savesWholeDomain { state.values = before }
                    state.apply(planned)
                    tell(planned, in: &state.hub, by: writer, effects: &effects)
                }
            }
            return true
        }
        effects.perform()
        return isCommitted
    }

    private func isMet(
        _ draft: KVTransaction.Draft,
        by values: [String: PropertyListValue]
    ) -> Bool {
        switch fault {
        case .losesUpdates: true
        case .ignoresListings: draft.expectation.values.allSatisfy { values[$0] == $1 }
        default: draft.expectation.isMet(by: values)
        }
    }

    func subscribe(
        _ sink: CommitHub.Sink,
        to names: [String]?,
        initial: Bool,
        by handle: HandleID
    ) -> KVSubscription {
        var sink = sink
        if fault == .ignoresPolicies, case .mailbox = sink {
            sink = .mailbox(Mailbox(policy: .unbounded))
        }
        var names = names
        if fault == .mergesNames, let given = names {
            var seen: Set<String> = []
            names = given.filter { seen.insert($0).inserted }
        }
        let early = state.withLock { state in (names ?? []).map { state.values[$0] } }
        if fault == .subscribesLate { pause() }
        let isBlind = fault == .isBlindInsideBodies && isInsideBody
        let registration = state.withLock { state in
            let values = (names ?? []).map { isBlind ? nil : state.values[$0] }
            let registration = state.hub.register(
                sink,
                names: names,
                values: fault == .subscribesLate ? early : values,
                initial: initial || fault == .insistsOnPresentValue,
                handle: handle
            )
            state.newest = registration
            return registration
        }
        return KVSubscription(registration, with: self)
    }

    func deregister(_ registration: CommitHub.Registration) {
        if fault == .locksInBothOrders {
            // The gates give up after a while, so that the test can go on.
            try? tellingGate.pass {
                pause()
                try gate.pass {}
            }
        }
        state.withLock { state in
            _ = state.hub.deregister(registration)
            if fault == .cancelsNeighbours, let newest = state.newest {
                _ = state.hub.deregister(newest)
            }
        }
    }

    private var isInsideBody: Bool {
        do {
            try turns.refuseInsideBody()
            return false
        } catch {
            return true
        }
    }

    private func changes(
        of draft: KVTransaction.Draft,
        in values: [String: PropertyListValue]
    ) -> [KVCommit.Change] {
        draft.changes.compactMap { name, new in
            let old = values[name]
            let isEqual = fault == .comparesLoosely ? isLooselyEqual(old, new) : old == new
            if isEqual, fault != .tellsOfEqualValues { return nil }
            return KVCommit.Change(name: name, old: old, new: new)
        }
    }

    private func isLooselyEqual(_ old: PropertyListValue?, _ new: PropertyListValue?) -> Bool {
        switch (old, new) {
        case (.integer(let old)?, .real(let new)?): Double(old) == new
        case (.real(let old)?, .integer(let new)?): old == Double(new)
        case (.real(let old)?, .real(let new)?): old == new || old.isNaN && new.isNaN
        case (.string(let old)?, .string(let new)?): old == new
        default: old == new
        }
    }

    private func tell(
        _ changes: [KVCommit.Change],
        in hub: inout CommitHub,
        by writer: HandleID,
        effects: inout CommitHub.Effects
    ) {
        guard !changes.isEmpty else { return }
        let hasFive = changes.contains { $0.new == 5 }
        switch fault {
        case .dropsChanges where hasFive:
            return
        case .repeatsChanges where hasFive:
            hub.publish(changes, by: writer, effects: &effects)
            hub.publish(changes, by: writer, effects: &effects)
        case .forgetsRemovals where changes.allSatisfy({ $0.new == nil }):
            let first = Array(changes.sorted { $0.name < $1.name }.prefix(1))
            hub.publish(first, by: writer, effects: &effects)
        case .splitsCommits:
            for change in changes { hub.publish([change], by: writer, effects: &effects) }
        case .followsSpellings:
            // Whoever follows the composed spelling alone is told.
            let told = changes.filter { !$0.name.unicodeScalars.contains("\u{301}") }
            if !told.isEmpty { hub.publish(told, by: writer, effects: &effects) }
        case .tellsFoldedNames:
            let told = changes.map {
                KVCommit.Change(name: $0.name.lowercased(), old: $0.old, new: $0.new)
            }
            hub.publish(told, by: writer, effects: &effects)
        case .forgetsOldValues:
            let told = changes.map { KVCommit.Change(name: $0.name, old: nil, new: $0.new) }
            hub.publish(told, by: writer, effects: &effects)
        default:
            hub.publish(changes, by: writer, effects: &effects)
        }
    }

    /// Lets other threads and tasks see what is between two steps.
    private func pause() {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(500))
    }
}
