import Foundation
import KVStoreReactive
import Synchronization

/// What a race has shown to be wrong.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Rounds in which subscribing, writing and cancelling race.
///
/// In each, the writer counts on by a few steps while followers of every kind come, follow it to
/// the last step or are cancelled on the way. Other followers stay through all rounds.
final class Race: Sendable {
    private static let steps = 8

    private let store: ReactiveKVStore
    private let writer: any RaceWriter
    private let elements = Atomic(0)

    init(over place: Place, by writer: any RaceWriter) throws {
        store = ReactiveKVStore(try place.open())
        self.writer = writer
    }

    /// Runs rounds, and returns a line that says what was seen.
    func run(rounds: Int) async throws -> String {
        let last = rounds * Self.steps
        // Made here, so that they miss nothing.
        let values = store.stream(Keys.count)
        let changes = store.changes(Keys.count)
        async let valuesSeen: Void = follow(values, from: 0, to: last)
        async let changesSeen: Void = follow(changes, to: last)
        for round in 1...max(1, rounds) {
            alarm(120)  // Whoever waits for ever ends here.
            try await run(round)
        }
        try await valuesSeen
        try await changesSeen
        return "\(rounds) rounds, \(elements.load(ordering: .relaxed)) elements"
    }

    private func run(_ round: Int) async throws {
        let first = (round - 1) * Self.steps
        let last = round * Self.steps
        try await withThrowingTaskGroup { group in
            if round.isMultiple(of: 2) { addWriter(to: &group, until: last) }
            for _ in 0..<3 {
                group.addTask { [self] in
                    try await follow(store.stream(Keys.count), from: first, to: last)
                }
            }
            group.addTask { [self] in try await followNewest(to: last) }
            group.addTask { [self] in try await followBoth(to: last) }
            if !round.isMultiple(of: 2) { addWriter(to: &group, until: last) }
            for _ in 0..<2 {
                group.addTask { [self] in try await followAndCancel(round, from: first) }
            }
            try await group.waitForAll()
        }
    }

    private func addWriter(to group: inout ThrowingTaskGroup<Void, any Error>, until last: Int) {
        group.addTask { [writer] in try await writer.count(to: last) }
    }

    /// Follows every value from whichever is the present one to the last.
    private func follow(_ values: AsyncStream<Int>, from first: Int, to last: Int) async throws {
        var previous: Int?
        for await value in values {
            try check(value, after: previous, atLeast: first)
            // Several commits of another process may be seen as one.
            if let previous, !writer.isOther, value != previous + 1 {
                throw Violation("\(value) came after \(previous): there is a gap")
            }
            previous = value
            if value == last { return }
        }
        throw Violation("the stream ended at \(String(describing: previous)) and not at \(last)")
    }

    /// Follows with room for one value, which may leave values out but not the last.
    private func followNewest(to last: Int) async throws {
        var previous: Int?
        for await value in store.stream(Keys.count, bufferingPolicy: .bufferingNewest(1)) {
            try check(value, after: previous, atLeast: 0)
            previous = value
            if value == last { return }
        }
        throw Violation("the newest value was \(String(describing: previous)) and not \(last)")
    }

    /// Follows two keys that are set together: no element may show one without the other.
    private func followBoth(to last: Int) async throws {
        var previous: Int?
        for await (value, twin) in store.stream(Keys.count, Keys.twin) {
            guard value == twin else { throw Violation("half a commit: \(value) and \(twin)") }
            try check(value, after: previous, atLeast: 0)
            previous = value
            if value == last { return }
        }
        throw Violation("the pairs ended at \(String(describing: previous)) and not at \(last)")
    }

    /// Follows for a moment and is cancelled, which ends the stream and nothing else.
    private func followAndCancel(_ round: Int, from first: Int) async throws {
        let follower = Task { [self] in
            var previous: Int?
            for await value in store.stream(Keys.count) {
                try check(value, after: previous, atLeast: first)
                previous = value
            }
        }
        for _ in 0..<(round % 16) { await Task.yield() }
        follower.cancel()
        try await follower.value
    }

    /// Follows the changes of all rounds, each of which begins where the one before it ended.
    private func follow(_ changes: AsyncStream<KVChange<Int>>, to last: Int) async throws {
        var previous = 0
        var sequence: UInt64?
        for await change in changes {
            guard change.old == previous, change.new > previous else {
                throw Violation("\(change.old) -> \(change.new) came after \(previous)")
            }
            if change.new != previous + 1, !(writer.isOther && change.commit.isMerged) {
                throw Violation("\(change.old) -> \(change.new) leaves commits out")
            }
            if let sequence, change.commit.sequence != sequence + 1 {
                throw Violation("commit \(change.commit.sequence) came after \(sequence)")
            }
            guard (change.commit.origin == .anotherProcess) == writer.isOther else {
                throw Violation("a commit was of \(change.commit.origin)")
            }
            sequence = change.commit.sequence
            previous = change.new
            if previous == last { return }
        }
        throw Violation("the changes ended at \(previous) and not at \(last)")
    }

    /// Checks what holds for every element: it is new, and a read is not older.
    private func check(_ value: Int, after previous: Int?, atLeast first: Int) throws {
        elements.add(1, ordering: .relaxed)
        guard value > previous ?? (first - 1) else {
            throw Violation("\(value) came after \(previous ?? first)")
        }
        let read = store.get(Keys.count)
        guard read >= value else { throw Violation("a read gave \(read) after \(value) had come") }
    }
}
