import Foundation
import KVStoreReactive
import KVStoreTesting
import KVStoreUserDefaults

// Checks one rule of the contract over UserDefaults, in a process whose preferences are the test's
// own. The arguments are the name of the rule and "plain" or "reactive".

let rules = KVStoreContract.rules(for: [.observes, .persists, .sharesDomain])
guard CommandLine.arguments.count == 3,
    let rule = rules.first(where: { $0.name == CommandLine.arguments[1] })
else {
    print("There is no such rule.")
    exit(64)
}
let isReactive = CommandLine.arguments[2] == "reactive"
do {
    // A commit waits for the disk, and other tests keep the machine busy.
    try await rule.limited(patience: .seconds(300)).check(overDomains: {
        let suite = "contract.\(UUID().uuidString)"
        return {
            let store = UserDefaultsKVStore(suiteName: suite)
            return isReactive ? ReactiveKVStore(store) : store
        }
    })
} catch {
    print("\(error)")
    exit(1)
}
