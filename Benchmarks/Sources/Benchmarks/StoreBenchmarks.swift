import KVStoreReactive
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

/// Measures what observation adds to a write.
func publishBenchmarks(_ harness: inout Harness) throws {
    let names = (0..<10_000).map { "settings.some.key.\($0)" }
    let floor = Floor(names)
    let key = KVKey<Int>("written")
    let quiet = InMemoryKVStore()
    let elsewhere = InMemoryKVStore()
    let here = InMemoryKVStore()
    let reactive = ReactiveKVStore(elsewhere)
    let others = names.map { reactive.stream(KVKey<Int>($0), bufferingPolicy: .bufferingNewest(1)) }
    let one = ReactiveKVStore(here).stream(key, bufferingPolicy: .bufferingNewest(1))
    let (stream, continuation) = AsyncStream.makeStream(
        of: Int.self,
        bufferingPolicy: .bufferingNewest(1)
    )
    var number = 0
    func writes(to store: InMemoryKVStore) -> () throws -> Void {
        {
            for _ in 0..<1000 {
                number += 1
                try store.set(key, value: number)
            }
        }
    }
    let times = try harness.measure(
        operations: 1000,
        [
            .init("F") { for _ in 0..<1000 { consume(floor.value(for: names[5000])) } },
            .init("yield") {
                for _ in 0..<1000 {
                    number += 1
                    continuation.yield(number)
                }
            },
            .init("none", writes(to: quiet)),
            .init("elsewhere", writes(to: elsewhere)),
            .init("hit", writes(to: here)),
            .init("subscribe") {
                for _ in 0..<1000 { consume(reactive.stream(key)) }
            },
        ]
    )
    withExtendedLifetime((others, one, stream)) {}
    guard let floorTime = times["F"], let yield = times["yield"], let none = times["none"],
        let miss = times["elsewhere"], let hit = times["hit"]
    else { return }
    harness.compare("10,000 streams on other keys add / F", miss - none, to: floorTime, goal: 1.2)
    harness.compare(
        "a stream on the key adds / (yield + F)",
        hit - none,
        to: yield + floorTime,
        goal: 1.5
    )
    harness.compare("subscribe and drop / yield", times["subscribe"], to: yield)
    harness.printTable(
        "Publishing",
        notes: ["yield: AsyncStream.Continuation.yield with nobody waiting, newest element kept."]
    )
}

/// The least that a store can do: a dictionary behind a mutex.
private final class Floor: Sendable {
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
