// The way of Apple platforms to keep a domain, run over what there is on Linux: `UserDefaults` itself,
// with stand-ins for the notices of the system. `HOME` is one of its own.

import Dispatch
import Foundation
import KVStoreUserDefaults
import Synchronization

func expect(_ condition: Bool, line: Int = #line) {
    if condition { return }
    print("failed: line \(line)")
    exit(1)
}

@main
enum Usage {
    static func main() throws {
        let suite = "group.example"
        let store = UserDefaultsKVStore(suiteName: suite)
        let arrivals = DispatchSemaphore(value: 0)
        let seen = Mutex<[PropertyListValue]>([])
        let subscription = store.feed?.observe(nil) { delivery in
            for change in delivery.commit?.changes ?? [] {
                seen.withLock { $0.append(change.new ?? "nothing") }
                arrivals.signal()
            }
        }
        let theme = KVKey<String>("dotted.theme")
        try store.set(theme, value: "dark")
        arrivals.wait()
        expect(UserDefaults(suiteName: suite)?.string(forKey: theme.name) == "dark")
        try store.update(KVDefaultKey("count", default: 0)) { $0 += 1 }
        arrivals.wait()
        expect(store.get(KVKey<Bool>("flag")) == nil)
        UserDefaults(suiteName: suite)?.set(true, forKey: "flag")
        expect(store.get(KVKey<Bool>("flag")) == true)
        // As another process would, after its commit; and as the system does after a raw write.
        NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: nil)
        arrivals.wait()
        try store.removeAll()
        for _ in 0..<3 { arrivals.wait() }
        expect(try store.keys().isEmpty)
        expect(seen.withLock { $0 } == ["dark", 1, true, "nothing", "nothing", "nothing"])
        let late = UserDefaultsKVStore(suiteName: suite, writing: .coalesced)
        try late.set(theme, value: "light")
        try late.flush()
        expect(store.get(theme) == "light")
        withExtendedLifetime(subscription) {}
        print("UserDefaults as on Apple platforms: as documented, over stand-ins")
    }
}
