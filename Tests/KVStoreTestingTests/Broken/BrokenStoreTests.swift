import KVStore
import KVStoreTesting
import Synchronization
import Testing

/// The contract is tested too: each broken store violates the rules that its fault breaks, and no
/// others.
@Suite("Broken stores")
struct BrokenStoreTests {
    @Test(arguments: FaultyDomain.Fault.allCases)
    func faultyDomainViolates(fault: FaultyDomain.Fault) async throws {
        let found = try await violated(for: [.observes, .sharesDomain]) {
            let registry = DomainRegistry { FaultyDomain(fault) }
            return { registry.open() }
        }
        expect(found, toBe: fault.violations)
    }

    @Test(arguments: FaultyBackend.Fault.allCases)
    func faultyBackendViolates(fault: FaultyBackend.Fault) async throws {
        let found = try await violated(for: [.observes, .persists]) {
            let medium = Mutex<FaultyBackend?>(nil)
            let reopen = { @Sendable in
                medium.withLock { backend in
                    let next = backend.map(FaultyBackend.init(reopening:)) ?? FaultyBackend(fault)
                    backend = next
                    return next
                }
            }
            return { BackendKVStore(reopen()) }
        }
        expect(found, toBe: fault.violations)
    }

    @Test(arguments: LeakyKVStore.Fault.allCases)
    func leakyStoreViolates(fault: LeakyKVStore.Fault) async throws {
        let found = try await violated(for: .observes) {
            { LeakyKVStore(fault) }
        }
        expect(found, toBe: fault.violations)
    }

    @Test func declaringTooMuchViolates() async throws {
        // Each opening is a store of its own: nothing is shared and nothing persists.
        let found = try await violated(for: [.observes, .persists, .sharesDomain]) {
            { InMemoryKVStore() }
        }
        let declared = KVStoreContract.rules.filter {
            !$0.features.isDisjoint(with: [.persists, .sharesDomain])
        }
        #expect(found == Set(declared.map(\.name)))
    }

    @Test func everyRuleIsViolatedBySomeStore() {
        let violations =
            FaultyDomain.Fault.allCases.map(\.violations)
            + FaultyBackend.Fault.allCases.map(\.violations)
            + LeakyKVStore.Fault.allCases.filter { $0 != .hidesItsFeed }.map(\.violations)
        let covered = Set(violations.flatMap { $0.always.map(\.name) })
        let declared = KVStoreContract.rules.filter {
            !$0.features.isDisjoint(with: [.persists, .sharesDomain])
        }
        // What these check is done by the typed calls and by KVTransaction, which all stores share
        // and no store can break alone.
        let beyondStores: [KVContractRule] = [
            .defaultsAreNotWritten, .undecodableIsToldFromAbsent, .transactionReturnsTheResult,
            .transactionSeesOwnWrites, .changesShowAtTheEnd, .endedTransactionIsRefused,
            .caughtFailureKeepsTheRest, .updateChangesOneKey, .nestedTransactionsUndoTheirOwn,
            .releasingIsCancelling,
        ]
        let uncovered = Set(KVStoreContract.rules.map(\.name))
            .subtracting(covered)
            .subtracting(declared.map(\.name))
        #expect(uncovered == Set(beyondStores.map(\.name)))
    }

    /// Returns the names of the rules that throw a violation.
    private func violated(
        for features: KVStoreContract.Features,
        by makeDomain: @escaping @Sendable () throws -> @Sendable () throws -> any KVStoring
    ) async throws -> Set<String> {
        var violated: Set<String> = []
        for rule in KVStoreContract.rules(for: features, soak: .milliseconds(100)) {
            do {
                try await rule.limited(patience: .seconds(4)).check(overDomains: makeDomain)
            } catch let violation as KVContractViolation {
                #expect(violation.rule == rule.name)
                violated.insert(rule.name)
            }
        }
        return violated
    }

    private func expect(
        _ found: Set<String>,
        toBe violations: Violations,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let always = Set(violations.always.map(\.name))
        let sometimes = Set(violations.sometimes.map(\.name))
        #expect(always.subtracting(found) == [], "not found", sourceLocation: sourceLocation)
        #expect(
            found.subtracting(always).subtracting(sometimes) == [],
            "found besides",
            sourceLocation: sourceLocation
        )
    }
}
