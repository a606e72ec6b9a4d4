import Foundation
import KVStoreReactive
import Synchronization

/// Measures the JSON file against the calls to the system that it cannot do without.
func jsonFileBenchmarks(_ harness: inout Harness) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kvstore-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try setBenchmarks(&harness, folder)
    try getBenchmarks(&harness, folder)
    try openBenchmarks(&harness, folder)
    try latencyBenchmarks(&harness, folder)
}

/// Makes a file with a number of keys.
private func makeFile(_ count: Int, in folder: URL) throws -> URL {
    let url = folder.appending(path: "\(count)-\(UUID()).json")
    let values = Dictionary(
        uniqueKeysWithValues: (0..<count).map { ("settings.some.key.\($0)", $0) }
    )
    try JSONEncoder().encode(values).write(to: url)
    return url
}

/// The calls that a commit between processes cannot do without, on files of their own.
private final class BareFile {
    private let lock: Int32
    private let journal: Int32
    private let image: Int32
    private let bytes: [UInt8]

    init(in folder: URL, byteCount: Int) {
        func file(_ name: String) -> Int32 {
            open(folder.appending(path: name).path, O_RDWR | O_CREAT | O_APPEND, 0o600)
        }
        let name = UUID().uuidString
        lock = file("\(name).lock")
        journal = file("\(name).journal")
        image = file("\(name).json")
        bytes = [UInt8](repeating: 0x61, count: byteCount)
    }

    deinit {
        for file in [lock, journal, image] { close(file) }
    }

    func commit() {
        var status = stat()
        flock(lock, LOCK_EX)
        fstat(journal, &status)
        fstat(image, &status)
        append()
        flock(lock, LOCK_UN)
    }

    func append() {
        _ = bytes.withUnsafeBytes { write(journal, $0.baseAddress, $0.count) }
    }

    func appendAndFlush() {
        append()
        fdatasync(journal)
    }
}

private func setBenchmarks(_ harness: inout Harness, _ folder: URL) throws {
    let counts = [100, 1_000, 10_000, 100_000]
    var number = 0
    var alternatives: [Harness.Alternative] = []
    let bare = BareFile(in: folder, byteCount: 80)
    alternatives.append(.init("floor") { for _ in 0..<100 { bare.commit() } })
    alternatives.append(.init("append") { for _ in 0..<100 { bare.append() } })
    for count in counts {
        let store = try JSONFileKVStore(url: makeFile(count, in: folder))
        let key = KVKey<Int>("settings.some.key.\(count / 2)")
        alternatives.append(
            .init("\(count)") {
                for _ in 0..<100 {
                    number += 1
                    try store.set(key, value: number)
                }
            }
        )
    }
    let times = try harness.measure(operations: 100, alternatives)
    for count in counts {
        harness.compare("set, \(count) keys / F", times["\(count)"], to: times["floor"], goal: 1.25)
    }
    harness.compare("set, 100 keys / append", times["100"], to: times["append"])
    harness.compare("set, 100,000 keys / 100 keys", times["100000"], to: times["100"], goal: 1.5)
    harness.printTable(
        "JSON file: a set that survives the process",
        notes: [
            "F: flock, two fstat, an append of 80 bytes, unlock.",
            "Times are of the processor on the thread that sets.",
        ]
    )

    harness.countsWaiting = true
    defer { harness.countsWaiting = false }
    var durable: [Harness.Alternative] = [.init("floor") { bare.appendAndFlush() }]
    for count in [100, 100_000] {
        let store = try JSONFileKVStore(url: makeFile(count, in: folder), durability: .power)
        let key = KVKey<Int>("settings.some.key.\(count / 2)")
        durable.append(
            .init("\(count)") {
                number += 1
                try store.set(key, value: number)
            }
        )
    }
    let waits = try harness.measure(durable)
    for count in [100, 100_000] {
        harness.compare("set, \(count) keys / F", waits["\(count)"], to: waits["floor"], goal: 1.25)
    }
    harness.printTable(
        "JSON file: a set that survives a power loss",
        notes: ["F: an append of 80 bytes and fdatasync."]
    )
}

private func getBenchmarks(_ harness: inout Harness, _ folder: URL) throws {
    let url = try makeFile(1000, in: folder)
    let store = try JSONFileKVStore(url: url)
    let memory = InMemoryKVStore()
    let key = KVKey<Int>("settings.some.key.500")
    try memory.set(key, value: 1)
    try store.set(key, value: 1)
    let child = try Child("write", url)
    defer { child.stop() }
    func reads(_ store: some KVStoring) -> () -> Void {
        { for _ in 0..<1000 { consume(store.get(key)) } }
    }
    let busyURL = try makeFile(1000, in: folder)
    let busy = try JSONFileKVStore(url: busyURL)
    try busy.set(key, value: 1)
    let writer = try Child("write", busyURL)
    defer { writer.stop() }
    child.pause()
    let times = try harness.measure(
        operations: 1000,
        [
            .init("memory", reads(memory)), .init("file", reads(store)),
            .init("busy", reads(busy)),
        ]
    )
    harness.compare("get / get in memory", times["file"], to: times["memory"], goal: 1.2)
    harness.compare("get while another process writes / get", times["busy"], to: times["file"])
    harness.printTable(
        "JSON file: a get",
        notes: [
            "Another process has written the file that is read;",
            "a second file is written by one that commits every millisecond.",
        ]
    )
}

private func openBenchmarks(_ harness: inout Harness, _ folder: URL) throws {
    for count in [100, 10_000] {
        let url = try makeFile(count, in: folder)
        let pending = try makeFile(count, in: folder)
        let times = try harness.measure([
            .init("open") { consume(try JSONFileKVStore(url: url)) },
            .init("serialization") {
                consume(try JSONSerialization.jsonObject(with: Data(contentsOf: url)))
            },
            .init("decoder") {
                consume(try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: url)))
            },
        ])
        let keys = "\(count) keys"
        harness.compare(
            "open, \(keys) / JSONSerialization",
            times["open"],
            to: times["serialization"],
            goal: 0.35
        )
        harness.compare(
            "open, \(keys) / JSONDecoder",
            times["open"],
            to: times["decoder"],
            goal: 0.2
        )
        let store = try JSONFileKVStore(url: pending)
        let values = try store.storedValues().mapValues { _ in 1 }
        var number: Int64 = 0
        let writes = try harness.measure([
            .init("publish") {
                number += 1
                try store.setStoredValue(.integer(number), for: "settings.some.key.1")
                try store.flush()
            },
            .init("encoder") {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
                try encoder.encode(values).write(to: url, options: .atomic)
            },
        ])
        harness.compare(
            "set and flush, \(keys) / JSONEncoder, atomic write",
            writes["publish"],
            to: writes["encoder"]
        )
    }
    harness.printTable(
        "JSON file: opening and publishing",
        notes: ["Publishing writes and flushes two files; the atomic write flushes nothing."]
    )
}

private func latencyBenchmarks(_ harness: inout Harness, _ folder: URL) throws {
    let rounds = 400
    let url = try makeFile(100, in: folder)
    let store = try JSONFileKVStore(url: url)
    let key = KVKey<Int>("time")
    let ours = Mutex<[Double]>([])
    let subscription = store.feed?.observe([key.name]) { delivery in
        let now = monotonicTime()
        guard case .integer(let time)? = delivery.values.first ?? nil else { return }
        ours.withLock { $0.append(Double(now - Int(time))) }
    }
    var child = try Child("stamp", url)
    while ours.withLock({ $0.count }) < rounds { usleep(1000) }
    child.stop()
    subscription?.cancel()

    let plain = folder.appending(path: "plain")
    try Data().write(to: plain)
    let notifier = inotify_init1(Int32(IN_CLOEXEC))
    inotify_add_watch(notifier, plain.path, UInt32(IN_MODIFY))
    let file = open(plain.path, O_RDONLY)
    child = try Child("stamp-plain", plain)
    var bare: [Double] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    var time = 0
    while bare.count < rounds {
        guard read(notifier, &buffer, buffer.count) > 0 else { break }
        let count = withUnsafeMutableBytes(of: &time) { pread(file, $0.baseAddress, 8, 0) }
        if count == 8 { bare.append(Double(monotonicTime() - time)) }
    }
    child.stop()
    close(file)
    close(notifier)
    harness.compare(
        "a change seen / F",
        ours.withLock { $0.sorted()[rounds / 2] },
        to: bare.sorted()[bare.count / 2],
        goal: 3
    )
    harness.printTable(
        "JSON file: from a set in another process to a handler here",
        notes: ["F: from write to the return of a read of an inotify descriptor that waits for it."]
    )
}

private func monotonicTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// This program, run a second time to write files.
private final class Child {
    private let process = Process()

    init(_ role: String, _ url: URL) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--child", role, url.path]
        try process.run()
    }

    /// Stops it for good, but lets it write first.
    func pause() {
        usleep(100_000)
        stop()
    }

    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// What a second process does.
func runChild(_ role: String, _ path: String) throws {
    let url = URL(filePath: path)
    switch role {
    case "write":
        let store = try JSONFileKVStore(url: url)
        let key = KVKey<Int>("settings.some.key.500")
        var number = 0
        while true {
            number += 1
            try store.set(key, value: number)
            usleep(1000)
        }
    case "loop":
        let store = try JSONFileKVStore(url: url)
        let key = KVKey<Int>("settings.some.key.50")
        for number in 0..<1_000_000 { try store.set(key, value: number) }
    case "stamp":
        let store = try JSONFileKVStore(url: url)
        while true {
            usleep(3000)
            try store.set(KVKey<Int>("time"), value: monotonicTime())
        }
    default:
        let file = open(path, O_WRONLY)
        while true {
            usleep(3000)
            var time = monotonicTime()
            withUnsafeBytes(of: &time) { _ = pwrite(file, $0.baseAddress, 8, 0) }
        }
    }
}
