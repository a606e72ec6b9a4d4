import KVStoreTesting
import TestSupport
import Testing

/// The contract over UserDefaults, each rule in a process of its own.
///
/// Where preferences live is settled when a process starts, so the test process cannot sandbox
/// them.
@Suite("KVStoreContract over UserDefaults", .onOwnThreads)
struct UserDefaultsContractTests {
    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists, .sharesDomain]))
    func userDefaults(rule: KVContractRule) throws {
        try check(rule, over: "plain")
    }

    @Test(arguments: KVStoreContract.rules(for: [.observes, .persists, .sharesDomain]))
    func reactiveOverUserDefaults(rule: KVContractRule) throws {
        try check(rule, over: "reactive")
    }

    private func check(_ rule: KVContractRule, over store: String) throws {
        let (status, output) = try HelperProgram("ContractHelper").run([rule.name, store])
        #expect(status == 0, "\(output)")
    }
}
