import KVStoreReactive

/// Measures what observation adds to a write.
func publishBenchmarks(_ harness: inout Harness) throws {
    let names = (0..<10_000).map { "settings.some.key.\($0)" }
    let floor = Floor(names)
    let key = KVKey<Int>("written")
    var number = 0

    let quiet = InMemoryKVStore()
    let elsewhere = ReactiveKVStore(InMemoryKVStore())
    let others = names.map {
        elsewhere.stream(KVKey<Int>($0), bufferingPolicy: .bufferingNewest(1))
    }
    let counts = [1, 10, 1000]
    let followed = counts.map { count in
        let store = ReactiveKVStore(InMemoryKVStore())
        let streams = (0..<count).map { _ in
            store.stream(key, bufferingPolicy: .bufferingNewest(1))
        }
        return (store, streams)
    }
    let yielders = counts.map { count in
        (0..<count).map { _ in
            AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        }
    }
    func writes(to store: any KVStoring, divisor: Int = 1) -> Harness.Alternative.Body {
        {
            for _ in 0..<(1000 / divisor) {
                number += 1
                try store.set(key, value: number)
            }
        }
    }

    var alternatives: [Harness.Alternative] = [
        .init("F") { for _ in 0..<1000 { consume(floor.value(for: names[5000])) } },
        .init("F set") {
            for _ in 0..<1000 {
                number += 1
                floor.set(number, for: names[5000])
            }
        },
        .init("none", writes(to: quiet)),
        .init("elsewhere", writes(to: elsewhere)),
    ]
    let single = try harness.measure(operations: 1000, alternatives)
    harness.compare("no stream at all, set / F set", single["none"], to: single["F set"], goal: 1.5)
    guard let floorTime = single["F"], let none = single["none"], let miss = single["elsewhere"]
    else { return }
    harness.compare("10,000 streams on other keys add / F", miss - none, to: floorTime, goal: 1.2)

    for (index, count) in counts.enumerated() {
        alternatives = [
            .init("yield") {
                for _ in 0..<(1000 / count) {
                    number += 1
                    for yielder in yielders[index] { yielder.continuation.yield(number) }
                }
            },
            .init("F") { for _ in 0..<1000 { consume(floor.value(for: names[5000])) } },
            .init("none", writes(to: quiet)),
            .init("hit", writes(to: followed[index].0, divisor: count)),
        ]
        // Per write and stream, of which one body has a thousand altogether.
        let times = try harness.measure(operations: 1000, alternatives)
        guard let yield = times["yield"], let floorTime = times["F"], let none = times["none"],
            let hit = times["hit"]
        else { continue }
        harness.compare(
            "\(count) on the key add, each / (yield + F / \(count))",
            hit - none / Double(count),
            to: yield + floorTime / Double(count),
            goal: 1.5
        )
    }
    withExtendedLifetime((others, followed, yielders)) {}
    try subscribing(&harness, to: elsewhere, key)
    harness.printTable(
        "Publishing",
        notes: [
            "F: a Dictionary<String, Int> behind a Mutex, one lock and one look-up.",
            "yield: AsyncStream.Continuation.yield with nobody waiting, newest element kept.",
        ]
    )
}

/// Measures opening and dropping a stream beside ten thousand others.
private func subscribing(
    _ harness: inout Harness,
    to store: ReactiveKVStore,
    _ key: KVKey<Int>
) throws {
    let times = try harness.measure(
        operations: 1000,
        [
            .init("AsyncStream") {
                for number in 0..<1000 {
                    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                    continuation.onTermination = { _ in }
                    continuation.yield(number)
                    consume(stream)
                }
            },
            .init("stream") { for _ in 0..<1000 { consume(store.stream(key)) } },
        ]
    )
    harness.compare(
        "subscribe and drop / AsyncStream made, fed once and dropped",
        times["stream"],
        to: times["AsyncStream"]
    )
}
