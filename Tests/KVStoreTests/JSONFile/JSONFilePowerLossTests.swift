import Foundation
import KVStore
import TestSupport
import Testing

/// Scripts of commits over a disk in memory that is looked at before every call: what would be left
/// if the process died there, or the power failed.
@Suite("JSONFile power loss", .onOwnThreads)
struct JSONFilePowerLossTests {
    /// The most disks that are looked at for one moment.
    private static let limit = Load.isFull ? 4096 : 24

    private static let later: [String: PropertyListValue] = ["later": 1]

    /// Runs a script to its end.
    private func run(_ script: JSONFileScript) throws -> JSONFileScriptRun {
        let run = try JSONFileScriptRun(script)
        try run.perform()
        return run
    }

    /// Looks at what a disk comes to: a state that is allowed, on which one can build.
    private func check(
        _ state: MemoryDisk.State,
        _ moment: JSONFileScriptRun.Moment,
        _ path: String,
        isPowerLoss: Bool,
        has later: [String: PropertyListValue] = [:],
        _ comment: Comment
    ) throws {
        let allowed = moment.allowed(isPowerLoss: isPowerLoss).map { $0.merging(later) { $1 } }
        let disk = MemoryDisk(state)
        let first = MemoryFileSystem(disk)
        let domain = JSONFileDomain(JSONFileEngine(path: path, on: first))
        do {
            try domain.file.load(quarantining: false)
        } catch let error as KVStoreError where error.code == .corrupt && isPowerLoss {
            #expect(moment.hasLooseEdit, "\(error), \(comment)")
            try domain.file.load(quarantining: true)
        }
        let found = try domain.storedValues()
        #expect(allowed.contains(found), "\(comment)")
        try domain.set(["next": 1], isFlushed: true)
        first.kill()
        let second = MemoryFileSystem(disk)
        defer { second.kill() }
        let other = JSONFileDomain(JSONFileEngine(path: path, on: second))
        try other.file.load(quarantining: false)
        let next = found.merging(["next": 1]) { $1 }
        #expect(try other.storedValues() == next, "\(comment)")
        try other.flush()
        let text = disk.snapshot().contents[path] ?? []
        #expect(try JSONText.values(from: text) == next, "\(comment)")
    }

    @Test(arguments: JSONFileScript.all)
    func aProcessThatDiesAtAnyCallLeavesEveryCommitThatReturned(_ script: JSONFileScript) throws {
        try KVStoreError.withHandler({ _ in }) {
            let run = try run(script)
            for moment in run.moments {
                try check(
                    moment.state,
                    moment,
                    script.path,
                    isPowerLoss: false,
                    "\(moment.call)"
                )
            }
        }
    }

    @Test(arguments: JSONFileScript.all)
    func aPowerLossAtAnyCallLeavesWhatWasFlushedAndNoStateThatNeverWas(
        _ script: JSONFileScript
    ) throws {
        try KVStoreError.withHandler({ _ in }) {
            let run = try run(script)
            var generator = SeededGenerator(seed: 1)
            var seen: Set<Look> = []
            for moment in run.moments {
                let states = moment.state.afterPowerLoss(limit: Self.limit, using: &generator)
                for state in states
                where seen.insert(Look(files: state.contents, secured: moment.secured)).inserted {
                    try check(
                        state,
                        moment,
                        script.path,
                        isPowerLoss: true,
                        "\(moment.call)"
                    )
                }
            }
            #expect(seen.count > 20)
        }
    }

    @Test(arguments: JSONFileScript.all)
    func aFlushedCommitAfterADeathAtAnyCallSurvivesAPowerLoss(_ script: JSONFileScript) throws {
        try KVStoreError.withHandler({ _ in }) {
            let run = try run(script)
            var generator = SeededGenerator(seed: 2)
            for moment in run.moments {
                let disk = MemoryDisk(moment.state)
                let heir = MemoryFileSystem(disk)
                defer { heir.kill() }
                let domain = JSONFileDomain(JSONFileEngine(path: script.path, on: heir))
                try domain.file.load(quarantining: false)
                try domain.set(Self.later, isFlushed: true)
                // What was there is flushed with it.
                let after = moment.securing()
                for state in disk.snapshot().afterPowerLoss(limit: 4, using: &generator) {
                    try check(
                        state,
                        after,
                        script.path,
                        isPowerLoss: true,
                        has: Self.later,
                        "\(moment.call)"
                    )
                }
            }
        }
    }

    @Test(arguments: JSONFileScript.all)
    func aCallThatFailsOnceCostsNothingThatIsFlushedBeforeOrAfter(_ script: JSONFileScript) throws {
        try KVStoreError.withHandler({ _ in }) {
            var generator = SeededGenerator(seed: 3)
            for number in 0..<1000 {
                let run = try JSONFileScriptRun(script, failingAfter: number)
                try run.perform()
                let moment = run.now
                try check(moment.state, moment, script.path, isPowerLoss: false, "\(number)")
                for state in moment.state.afterPowerLoss(limit: 4, using: &generator) {
                    try check(state, moment, script.path, isPowerLoss: true, "\(number)")
                }
                guard run.hasFailed else { return }
            }
            Issue.record("There are too many calls.")
        }
    }

    /// A disk and what it must hold, to look at each only once.
    private struct Look: Hashable {
        let files: [String: [UInt8]]
        let secured: Int
    }
}
