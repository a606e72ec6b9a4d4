import Foundation
import KVStoreReactive

#if os(Linux)
/// The memory that this process has in use.
private func residentBytes() -> Int {
    do {
        let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let fields = statm.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    } catch {
        return 0
    }
}
#endif

/// Measures the memory of a stream that nobody has read from yet.
func subscriptionMemory(_ harness: inout Harness) throws {
    #if os(Linux)
    let count = 100_000
    let keys = (0..<count).map { KVKey<Int>("settings.some.key.\($0)") }
    let shared = KVKey<Int>("settings.shared")
    let store = InMemoryKVStore()
    let reactive = ReactiveKVStore(store)
    guard let feed = store.feed else { return }
    // What was measured is kept, because the next would be made in the memory of it.
    var keepers: [() -> Void] = []
    func bytes<Kept>(_ make: (Int) -> Kept) -> Double {
        var kept = [Kept?](repeating: nil, count: count)
        let before = residentBytes()
        for index in 0..<count { kept[index] = make(index) }
        let after = residentBytes()
        keepers.append { consume(kept) }
        return Double(after - before) / Double(count)
    }
    func subscription(to name: String) -> KVSubscription {
        feed.subscribe(to: [name], initial: false, bufferingPolicy: .bufferingNewest(1))
    }
    let own = bytes { subscription(to: keys[$0].name) }
    let same = bytes { _ in subscription(to: shared.name) }
    harness.compare("subscription to a key of its own / 300 B", own, to: 300, goal: 1, in: .bytes)
    harness.compare("subscription to a key of many / 300 B", same, to: 300, goal: 1, in: .bytes)
    let plain = bytes { _ in AsyncStream.makeStream(of: Int.self) }
    let unfolding = bytes { number in
        AsyncStream {
            consume(number)
            return Int?.none
        } onCancel: {
            consume(number)
        }
    }
    let stream = bytes { _ in reactive.stream(shared, initial: false) }
    harness.compare("AsyncStream(unfolding:) / AsyncStream", unfolding, to: plain, in: .bytes)
    harness.compare("stream of a key / AsyncStream(unfolding:)", stream, to: unfolding, in: .bytes)
    harness.printTable(
        "Memory of an idle subscription",
        notes: ["By the growth of the process, without a task."]
    )
    #endif
}
