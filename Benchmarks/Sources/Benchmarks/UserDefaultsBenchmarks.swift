import Foundation
import KVStoreUserDefaults

/// Measures the `UserDefaults` store against bare `UserDefaults`, in preferences of its own.
///
/// Foundation on Linux settles where preferences are when the process starts, so a process of its own
/// does the work.
func userDefaultsBenchmarks(_ harness: inout Harness) throws {
    let marker = "KVSTORE_BENCHMARK_HOME"
    var environment = ProcessInfo.processInfo.environment
    if environment[marker] != nil { return try measureUserDefaults(&harness) }
    let home = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["defaults"]
    environment[marker] = home.path
    environment["HOME"] = home.path
    environment["XDG_CONFIG_HOME"] = home.path
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
}

private func measureUserDefaults(_ harness: inout Harness) throws {
    harness.rounds = 7
    for count in [100, 1000, 10_000] {
        let names = (0..<count).map { "settings.some.key.\($0)" }
        let suites = ["ours", "coalesced", "raw"].map { "\($0)\(count)" }
        for suite in suites {
            try UserDefaultsKVStore(suiteName: suite).transaction { transaction in
                for (number, name) in names.enumerated() {
                    try transaction.set(KVKey<Int>(name), value: number)
                }
            }
        }
        let store = UserDefaultsKVStore(suiteName: suites[0])
        let coalesced = UserDefaultsKVStore(suiteName: suites[1], writing: .coalesced)
        guard let raw = UserDefaults(suiteName: suites[2]) else { return }
        let name = names[count / 2]
        let key = KVKey<Int>(name)
        var number = 0
        harness.countsWaiting = false
        let reads = try harness.measure(
            operations: 100,
            [
                .init("raw") { for _ in 0..<100 { consume(raw.object(forKey: name) as? Int) } },
                .init("ours") { for _ in 0..<100 { consume(store.get(key)) } },
            ]
        )
        harness.countsWaiting = true
        let writes = try harness.measure([
            .init("raw") {
                number += 1
                raw.set(number, forKey: name)
                raw.synchronize()
            },
            .init("ours") {
                number += 1
                try store.set(key, value: number)
            },
            .init("coalesced") {
                number += 1
                try coalesced.set(key, value: number)
            },
            .init("raw in memory") {
                number += 1
                raw.set(number, forKey: name)
                consume(raw.object(forKey: name) as? Int)
            },
        ])
        let keys = "\(count) keys"
        harness.compare("get Int, \(keys) / raw get", reads["ours"], to: reads["raw"], goal: 1.25)
        harness.compare("set, \(keys) / raw set + synchronize", writes["ours"], to: writes["raw"])
        harness.compare(
            "coalesced set, \(keys) / raw set + get",
            writes["coalesced"],
            to: writes["raw in memory"]
        )
    }
    harness.printTable(
        "UserDefaults",
        notes: [
            "raw: UserDefaults alone, which loses the domain to a kill while it writes.",
            "A set of ours is on disk, with a backup, and waits for the disk as `synchronize` does.",
        ]
    )
}
