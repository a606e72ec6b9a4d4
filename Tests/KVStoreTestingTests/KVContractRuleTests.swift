import Dispatch
import KVStore
import KVStoreTesting
import Testing

@Suite("KVContractRule")
struct KVContractRuleTests {
    @Test func namesAreDifferent() {
        let names = KVStoreContract.rules.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func rulesAreChosenByFeatures() {
        #expect(KVStoreContract.rules(for: []).allSatisfy { $0.features.isEmpty })
        let all = KVStoreContract.rules(for: [.observes, .persists, .sharesDomain])
        #expect(all.map(\.name) == KVStoreContract.rules.map(\.name))
    }

    @Test func violationSaysWhatWasExpectedAndFound() async throws {
        let violation = await #expect(throws: KVContractViolation.self) {
            try await KVContractRule.caseCounts.check { BackendKVStore(FaultyBackend(.foldsCase)) }
        }
        let found = try #require(violation)
        #expect(found.rule == "case counts")
        #expect(found.expected.hasPrefix("the store to be"))
        #expect(
            found.description
                == "not kept: case counts: expected \(found.expected), found \(found.found)"
        )
    }

    @Test func hangingStoreFailsTheRule() async throws {
        let violation = await #expect(throws: KVContractViolation.self) {
            try await KVContractRule.caseCounts.limited(patience: .milliseconds(50))
                .check { BackendKVStore(HangingBackend()) }
        }
        #expect(violation?.found.hasPrefix("no progress in") == true)
    }

    @Test func errorOfTheFactoryIsPassedOn() async {
        struct NoStore: Error {}
        await #expect(throws: NoStore.self) {
            try await KVContractRule.caseCounts.check { () -> any KVStoring in throw NoStore() }
        }
        await #expect(throws: NoStore.self) {
            try await KVContractRule.storesSeeEachOther.check(overDomains: {
                { throw NoStore() }
            })
        }
    }

    @Test func ruleThatOpensSeveralStoresSaysSo() async {
        let violation = await #expect(throws: KVContractViolation.self) {
            try await KVContractRule.storesSeeEachOther.check { InMemoryKVStore() }
        }
        #expect(violation?.expected.contains("check(overDomains:)") == true)
    }

    @Test func unexpectedErrorIsAViolation() async {
        let violation = await #expect(throws: KVContractViolation.self) {
            try await KVContractRule.caseCounts.check { BackendKVStore(FailingBackend()) }
        }
        #expect(violation?.expected == "no error")
    }
}

/// A backend that takes a second for each call.
private struct HangingBackend: KVBackend {
    func read(_ name: String) -> PropertyListValue? {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 1)
        return nil
    }

    func readAll() -> [String: PropertyListValue] { [:] }
    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) -> Bool { true }
    func flush() {}
}

/// A backend that cannot be read.
private struct FailingBackend: KVBackend {
    private struct Failure: Error {}

    func read(_ name: String) throws -> PropertyListValue? { throw Failure() }
    func readAll() throws -> [String: PropertyListValue] { throw Failure() }
    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) -> Bool { true }
    func flush() {}
}
