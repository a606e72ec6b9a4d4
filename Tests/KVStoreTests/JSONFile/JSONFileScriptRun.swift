import KVStore
import Synchronization

/// A run of a script, which notes before each call to the system what the disk is like and what was
/// promised, if either has changed.
final class JSONFileScriptRun: Sendable {
    /// The disk at one moment, and what has been promised until then.
    struct Moment: Sendable {
        let state: MemoryDisk.State
        /// The call that is about to be made.
        let call: String
        /// What the store has held, in its order; the last perhaps not yet.
        var states: [[String: PropertyListValue]]
        /// The index of the state of the last commit that returned.
        var acknowledged: Int
        /// The index of the last state that must survive a power loss.
        var secured: Int
        /// An edit that is not in the journal for certain: its index, and what it changed.
        var edit: Edit?
        /// Whether reading the edit may have failed.
        var hasUnreadEdit = false

        struct Edit: Sendable {
            let index: Int
            let changes: [String: PropertyListValue?]
        }

        /// The states that may be found.
        func allowed(isPowerLoss: Bool) -> [[String: PropertyListValue]] {
            var result = Array(states[(isPowerLoss ? secured : acknowledged)...])
            if let edit, hasUnreadEdit {
                // Commits went on without it, and once it is found it counts as later.
                result += result.map { $0.changed(by: edit.changes) }
            }
            guard isPowerLoss else { return result }
            // An edit may have come to the disk before the commits that were made before it.
            if let edit, edit.index > secured {
                result += states[secured..<edit.index].map { $0.changed(by: edit.changes) }
            }
            return result
        }

        /// Whether nothing has happened between two moments.
        func isLike(_ other: Moment) -> Bool {
            state.revision == other.state.revision && acknowledged == other.acknowledged
                && secured == other.secured && states.count == other.states.count
        }

        /// Whether a person's edit may be lost in part.
        var hasLooseEdit: Bool { edit.map { $0.index > secured } ?? false }

        /// The same after a flush of all that is there.
        func securing() -> Moment {
            var result = self
            result.secured = acknowledged
            return result
        }
    }

    private struct State {
        var moments: [Moment] = []
        var states: [[String: PropertyListValue]] = [[:]]
        var acknowledged = 0
        var secured = 0
        var edit: Moment.Edit?
    }

    private let script: JSONFileScript
    private let disk = MemoryDisk()
    private let state = Mutex(State())
    private let failure: Int?
    private let first: MemoryFileSystem

    init(_ script: JSONFileScript, failingAfter failure: Int? = nil) throws {
        self.script = script
        self.failure = failure
        first = MemoryFileSystem(disk)
        guard let image = script.image else { return }
        try disk.state.withLock { disk in
            try disk.save(JSONText.text(of: image), at: script.path, inPlace: true)
            if script.isImageDurable { disk.synchronizeAll() }
        }
        state.withLock { state in
            if script.isImageDurable {
                state.states = [image]
            } else {
                state.edit = Moment.Edit(index: 1, changes: image.mapValues { $0 })
                state.states.append(image)
                state.acknowledged = 1
            }
        }
    }

    var moments: [Moment] { state.withLock { $0.moments } }

    /// The moment now.
    var now: Moment { moment("the end") }

    /// Whether the failing call was reached.
    var hasFailed: Bool { first.hasFailed }

    private func moment(_ call: String) -> Moment {
        let snapshot = disk.snapshot()
        return state.withLock { state in
            Moment(
                state: snapshot,
                call: call,
                states: state.states,
                acknowledged: state.acknowledged,
                secured: state.secured,
                edit: state.edit,
                hasUnreadEdit: failure != nil
            )
        }
    }

    // MARK: Running

    func perform() throws {
        var system = first
        if let failure {
            system.fail(after: failure)
        } else {
            note(system)
        }
        var domain = try open(system)
        for step in script.steps {
            if case .restart = step {
                system.kill()
                system = MemoryFileSystem(disk)
                if failure == nil { note(system) }
                domain = try open(system)
            } else {
                try perform(step, on: domain)
            }
        }
        let last = now
        if failure == nil { state.withLock { $0.moments.append(last) } }
        system.kill()
    }

    private func note(_ system: MemoryFileSystem) {
        system.beforeEachCall { [weak self] call in
            guard let self else { return }
            let moment = moment(call)
            state.withLock { state in
                if let last = state.moments.last, last.isLike(moment) { return }
                state.moments.append(moment)
            }
        }
    }

    private func open(_ system: MemoryFileSystem) throws -> JSONFileDomain {
        let domain = JSONFileDomain(JSONFileEngine(path: script.path, on: system))
        do {
            try domain.file.load(quarantining: false)
        } catch let error as KVStoreError where failure != nil && error.code == .unreadable {
            try domain.file.load(quarantining: false)
        }
        return domain
    }

    private func perform(_ step: JSONFileScript.Step, on domain: JSONFileDomain) throws {
        switch step {
        case .commit(let changes, let isFlushed):
            begin(changes)
            do {
                try domain.change(changes, isFlushed: isFlushed)
                end(isSecured: isFlushed)
            } catch let error as KVStoreError where failure != nil {
                if error.code == .notDurable {
                    end(isSecured: false)
                } else {
                    state.withLock { _ = $0.states.popLast() }
                }
            }
        case .edit(let image, let changes, let inPlace):
            begin(changes)
            try disk.state.withLock { disk in
                try disk.save(JSONText.text(of: image), at: script.path, inPlace: inPlace)
            }
            state.withLock { state in
                state.edit = Moment.Edit(index: state.states.count - 1, changes: changes)
            }
            end(isSecured: false)
        case .flush:
            do {
                try domain.flush()
                end(isSecured: true)
            } catch is KVStoreError where failure != nil {
                // The commits stay in the journal.
            }
        case .compact: domain.file.compactQuietly()
        case .restart: break
        }
    }

    private func begin(_ changes: [String: PropertyListValue?]) {
        state.withLock { state in
            state.states.append(state.states[state.states.count - 1].changed(by: changes))
        }
    }

    private func end(isSecured: Bool) {
        state.withLock { state in
            state.acknowledged = state.states.count - 1
            if isSecured { state.secured = state.acknowledged }
        }
    }
}

extension JSONFileDomain {
    /// Stores values, or removes those that are nil, as one commit.
    func change(_ changes: [String: PropertyListValue?], isFlushed: Bool = false) throws {
        let draft = KVTransaction.Draft(expectation: KVExpectation(), changes: changes)
        _ = try commit(draft, by: HandleID(), isFlushed: isFlushed)
    }
}

extension [String: PropertyListValue] {
    fileprivate func changed(by changes: [String: PropertyListValue?]) -> Self {
        var result = self
        for (name, value) in changes { result[name] = value }
        return result
    }
}
