#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Memory", .onOwnThreads)
struct MemoryTests {
    /// How often a value is set and observed: a million times with `KVSTORE_FULL_LOAD` set.
    private static var cycles: Int {
        ProcessInfo.processInfo.environment["KVSTORE_FULL_LOAD"] == nil ? 100_000 : 1_000_000
    }

    @Test func isFlatHoweverOftenAValueIsSetAndObserved() throws {
        let helper = try HelperProgram("ReactiveHelper")
        let result = try helper.run(["cycles", "memory", "-", "\(Self.cycles)"])
        let growth = try #require(Int(result.output), "\(result.output)")
        // A subscription that each cycle left would be 20 MB in the shorter run.
        #expect(growth < 4_000_000)
    }
}
#endif
