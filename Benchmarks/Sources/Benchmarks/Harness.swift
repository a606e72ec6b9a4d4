import Foundation

/// Measures alternatives side by side and prints how they compare.
struct Harness {
    /// One alternative: what it is called and what it does once.
    struct Alternative {
        let name: String
        let body: Body

        typealias Body = () throws -> Void

        init(_ name: String, _ body: @escaping Body) {
            self.name = name
            self.body = body
        }
    }

    /// What is compared.
    enum Unit {
        case nanoseconds
        case bytes
    }

    private struct Row {
        let name, ours, baseline, ratio, goal, verdict: String
    }

    /// How many rounds each alternative runs; odd, so that the median is one of them.
    var rounds = 11
    /// Whether times are of the clock on the wall, for work that waits for disks or other threads;
    /// otherwise they are of the processor, which a busy machine disturbs less.
    var countsWaiting = false
    /// How long one alternative runs in one round.
    var secondsPerRound = 0.01
    private(set) var missed = 0
    private var rows: [Row] = []

    /// Runs the alternatives in turns and returns the median time of each, in nanoseconds.
    ///
    /// - Parameters:
    ///   - operations: How many operations one call of a body performs.
    ///   - alternatives: What to compare.
    /// - Returns: The median time of one operation, by the alternative's name.
    /// - Throws: What a body throws.
    func measure(
        operations: Int = 1,
        _ alternatives: [Alternative]
    ) throws -> [String: Double] {
        var batches: [Int] = []
        for alternative in alternatives {
            try batches.append(batch(of: alternative))
        }
        var times = alternatives.map { _ in [Double]() }
        for round in 0..<rounds {
            // Each round starts with another one, so that none always follows the same neighbour.
            for offset in alternatives.indices {
                let index = (round + offset) % alternatives.count
                let time = try run(alternatives[index], batches[index])
                times[index].append(time / Double(batches[index] * operations))
            }
        }
        var medians: [String: Double] = [:]
        for (alternative, times) in zip(alternatives, times) {
            medians[alternative.name] = times.sorted()[times.count / 2]
        }
        return medians
    }

    /// Adds a row to the table: both figures, their ratio, and whether it meets the goal.
    mutating func compare(
        _ name: String,
        _ ours: Double?,
        to baseline: Double?,
        goal: Double? = nil,
        in unit: Unit = .nanoseconds
    ) {
        guard let ours, let baseline else { return }
        let ratio = ours / baseline
        let isMet = goal.map { ratio <= $0 } ?? true
        if !isMet { missed += 1 }
        rows.append(
            Row(
                name: name,
                ours: Self.text(ours, unit),
                baseline: Self.text(baseline, unit),
                ratio: String(format: "%.2f", ratio),
                goal: goal.map { String(format: "%.2f", $0) } ?? "",
                verdict: goal == nil ? "" : isMet ? "ok" : "MISSED"
            )
        )
    }

    /// Prints the rows added since the last table.
    mutating func printTable(_ title: String, notes: [String] = []) {
        let head = Row(
            name: "name",
            ours: "ours",
            baseline: "baseline",
            ratio: "ratio",
            goal: "goal",
            verdict: "ok"
        )
        let all = [head] + rows
        let width = all.map(\.name.count).max() ?? 0
        print("\n\(title)")
        for note in notes { print("  \(note)") }
        for row in all {
            let cells = [row.ours, row.baseline, row.ratio, row.goal, row.verdict]
            let name = row.name.padding(toLength: width, withPad: " ", startingAt: 0)
            print("  \(name) | " + cells.map(Self.padded).joined(separator: " | "))
        }
        rows = []
    }

    private func batch(of alternative: Alternative) throws -> Int {
        var batch = 1
        while true {
            let seconds = try run(alternative, batch) / 1e9
            if seconds >= secondsPerRound / 2 {
                return max(1, Int(Double(batch) * secondsPerRound / seconds))
            }
            batch *= 4
        }
    }

    private func run(_ alternative: Alternative, _ count: Int) throws -> Double {
        let start = now()
        for _ in 0..<count { try alternative.body() }
        return now() - start
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(countsWaiting ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func padded(_ text: String) -> String {
        String(repeating: " ", count: max(0, 9 - text.count)) + text
    }

    private static func text(_ figure: Double, _ unit: Unit) -> String {
        switch unit {
        case .nanoseconds: text(nanoseconds: figure)
        case .bytes: String(format: "%.0f B", figure)
        }
    }

    private static func text(nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<10: String(format: "%.1f ns", nanoseconds)
        case ..<10_000: String(format: "%.0f ns", nanoseconds)
        case ..<10_000_000: String(format: "%.1f us", nanoseconds / 1e3)
        default: String(format: "%.1f ms", nanoseconds / 1e6)
        }
    }
}

/// Takes a value where the optimiser cannot see what becomes of it.
@inline(never)
func consume<T>(_ value: T) {
    withExtendedLifetime(value) {}
}

/// Gives a value back where the optimiser cannot see that it is the same.
@inline(never)
func opaque<T>(_ value: T) -> T {
    value
}
