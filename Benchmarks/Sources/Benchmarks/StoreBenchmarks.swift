import KVStore
import Synchronization

/// Measures typed reads and writes of the in-memory store against a dictionary behind a mutex.
func storeBenchmarks(_ harness: inout Harness) throws {
    for count in [100, 10_000] {
        let names = (0..<count).map { "settings.some.key.\($0)" }
        let floor = Floor(names)
        let store: any KVStoring = InMemoryKVStore()
        for (number, name) in names.enumerated() {
            try store.set(KVKey<Int>(name), value: number)
            try store.set(KVKey<String>("text." + name), value: "value number \(number)")
        }
        let name = names[count / 2]
        let integer = KVKey<Int>(name)
        let fallback = KVDefaultKey(name, default: 0)
        let text = KVKey<String>("text." + name)
        var number = 0
        let times = try harness.measure(
            operations: 1000,
            [
                .init("F") { for _ in 0..<1000 { consume(floor.value(for: name)) } },
                .init("get Int") { for _ in 0..<1000 { consume(store.get(integer)) } },
                .init("get Int, default") { for _ in 0..<1000 { consume(store.get(fallback)) } },
                .init("get String") { for _ in 0..<1000 { consume(store.get(text)) } },
                .init("F set") {
                    for _ in 0..<1000 {
                        number += 1
                        floor.set(number, for: name)
                    }
                },
                .init("set Int") {
                    for _ in 0..<1000 {
                        number += 1
                        try store.set(integer, value: number)
                    }
                },
                .init("update Int") {
                    for _ in 0..<1000 { try store.update(fallback) { $0 += 1 } }
                },
            ]
        )
        let keys = "\(count) keys"
        harness.compare("get Int, \(keys) / F", times["get Int"], to: times["F"], goal: 1.15)
        harness.compare(
            "get Int with default, \(keys) / F",
            times["get Int, default"],
            to: times["F"],
            goal: 1.15
        )
        harness.compare("get String, \(keys) / F", times["get String"], to: times["F"], goal: 1.5)
        harness.compare("set Int, \(keys) / F set", times["set Int"], to: times["F set"], goal: 1.5)
        harness.compare("update Int, \(keys) / F set", times["update Int"], to: times["F set"])
    }
    harness.printTable(
        "In-memory store through `any KVStoring`",
        notes: ["F: a Dictionary<String, Int> behind a Mutex, one lock and one look-up."]
    )
}

/// The least that a store can do: a dictionary behind a mutex.
final class Floor: Sendable {
    private let values: Mutex<[String: Int]>

    init(_ names: [String]) {
        values = Mutex(Dictionary(uniqueKeysWithValues: zip(names, 0...)))
    }

    @inline(never)
    func value(for name: String) -> Int? {
        values.withLock { $0[name] }
    }

    @inline(never)
    func set(_ value: Int, for name: String) {
        values.withLock { $0[name] = value }
    }
}
