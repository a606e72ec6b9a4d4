import Foundation
import TestSupport
import Testing

/// Races of subscribing, writing and cancelling, with the writes of this process or of another.
///
/// What is checked is in `ReactiveHelper`, which has preferences of its own.
@Suite("Races over each backend", .onOwnThreads)
struct BackendRaceTests {
    /// How many rounds a race has; `KVSTORE_RACES` asks for more.
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["KVSTORE_RACES"].flatMap { Int($0) } ?? 40
    }

    @Test(arguments: [
        ["memory", "own"], ["jsonFile", "own"], ["jsonFile", "other"], ["userDefaults", "own"],
        ["userDefaults", "other"],
    ])
    func everyFollowerSeesTheCommitsInOrderOnceAndTheLast(backendAndWriter: [String]) throws {
        let helper = try HelperProgram("ReactiveHelper")
        let place = helper.place(for: backendAndWriter[0])
        let result = try helper.run(
            ["race", backendAndWriter[0], place, backendAndWriter[1], "\(Self.rounds)"]
        )
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.hasPrefix("\(Self.rounds) rounds"), "\(result.output)")
    }
}
