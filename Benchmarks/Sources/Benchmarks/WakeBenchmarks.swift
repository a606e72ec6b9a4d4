import Dispatch
import KVStoreReactive

/// Measures how long a consumer that waits takes to get what another task sends.
func wakeBenchmarks(_ harness: inout Harness) throws {
    let turns = 2000
    var waiting = harness
    waiting.countsWaiting = true
    waiting.secondsPerRound = 0.05
    let store = InMemoryKVStore()
    let reactive = ReactiveKVStore(store)
    let there = KVDefaultKey("there", default: 0)
    let back = KVDefaultKey("back", default: 0)
    let times = try waiting.measure(
        operations: 2 * turns,
        [
            .init("AsyncStream") {
                let there = AsyncStream.makeStream(of: Int.self)
                let back = AsyncStream.makeStream(of: Int.self)
                playPingPong(
                    turns,
                    serve: { there.continuation.yield($0) },
                    hit: { back.continuation.yield($0) },
                    serves: there.stream,
                    hits: back.stream
                )
            },
            .init("streams of a store") {
                try store.removeAll()
                playPingPong(
                    turns,
                    serve: { store[there] = $0 },
                    hit: { store[back] = $0 },
                    serves: reactive.stream(there, initial: false),
                    hits: reactive.stream(back, initial: false)
                )
            },
        ]
    )
    harness.compare(
        "one way, set to stream / yield to AsyncStream",
        times["streams of a store"],
        to: times["AsyncStream"]
    )
    harness.printTable("Waking", notes: ["Two tasks that send to each other in turn; clock time."])
}

/// Sends numbers there and back between two tasks.
private func playPingPong(
    _ turns: Int,
    serve: @escaping @Sendable (Int) -> Void,
    hit: @escaping @Sendable (Int) -> Void,
    serves: AsyncStream<Int>,
    hits: AsyncStream<Int>
) {
    let isOver = DispatchSemaphore(value: 0)
    Task {
        for await number in serves {
            hit(number)
            if number == turns { break }
        }
    }
    Task {
        var numbers = hits.makeAsyncIterator()
        for number in 1...turns {
            serve(number)
            _ = await numbers.next()
        }
        isOver.signal()
    }
    isOver.wait()
}
