import Foundation
import KVStoreReactive

/// Sets and observes again and again; returns by how many bytes the process has grown since the
/// first tenth of it.
func growth(over place: Place, cycles: Int) async throws -> Int {
    let store = ReactiveKVStore(try place.open())
    let kept = KVObservedValue(Keys.count, in: store)
    var before = 0
    for cycle in 1...max(10, cycles) {
        var values = store.stream(Keys.count).makeAsyncIterator()
        var newest = store.stream(Keys.count, bufferingPolicy: .bufferingNewest(1))
            .makeAsyncIterator()
        try store.set(Keys.count, value: cycle)
        guard await values.next() == cycle - 1, await values.next() == cycle,
            await newest.next() == cycle, kept.value == cycle
        else { throw Violation("the values of cycle \(cycle) did not come") }
        if cycle == cycles / 10 { before = try residentBytes() }
    }
    return try residentBytes() - before
}

/// The memory that this process has in use.
private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
        separator: " "
    )
    guard fields.count > 1, let pages = Int(fields[1]) else {
        throw Violation("the size of the process is unknown")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
