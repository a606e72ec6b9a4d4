import Foundation
import KVStore
import KVStoreUserDefaults
import Synchronization

/// Writes a line at once, so that it is out if the process is killed after it.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What the commands work on: stores by suite, opened when first named.
final class Session {
    private var stores: [String: UserDefaultsKVStore] = [:]
    private var subscriptions: [KVSubscription] = []
    private let deliveries = DeliveryLog()
    private let reports = ReportLog()
    private let lock = DeviceLock()

    init() {
        let reports = reports
        KVStoreError.setHandler { error in
            let code = (error as? KVStoreError)?.code.description ?? "\(type(of: error))"
            reports.codes.withLock { $0.append(.string(code)) }
        }
    }

    func answer(to line: String) -> String {
        do {
            guard case .array(let words) = try PropertyListValue(jsonText: line),
                let command = words.first?.text
            else { return #"{"error":"not a command"}"# }
            let result = try run(command, Array(words.dropFirst()))
            return PropertyListValue.array(result).jsonText
        } catch let error as KVStoreError {
            let answer: PropertyListValue = [
                "error": .string(error.code.description), "reason": .string(error.reason),
            ]
            return answer.jsonText
        } catch {
            let answer: PropertyListValue = ["error": .string("\(type(of: error))")]
            return answer.jsonText
        }
    }

    private func run(_ command: String, _ words: [PropertyListValue]) throws -> [PropertyListValue]
    {
        let suite = words.first?.text ?? ""
        let key = words.count > 1 ? words[1].text ?? "" : ""
        let number = words.last?.number ?? 0
        switch command {
        case "get": return Array(optional: try store(suite).storedValue(for: key))
        case "contains": return [.bool(store(suite).contains(KVKey<Int>(key)))]
        case "all": return [.dictionary(try store(suite).storedValues())]
        case "set": try store(suite).setStoredValue(words[2], for: key)
        case "setText":
            let value = try PropertyListValue(jsonText: words[2].text ?? "")
            try store(suite).setStoredValue(value, for: key)
        case "getText":
            let value = try store(suite).storedValue(for: key)
            return Array(optional: value.map { .string($0.jsonText) })
        case "allTexts":
            return [.dictionary(try store(suite).storedValues().mapValues { .string($0.jsonText) })]
        case "readRemoved":
            return try store(suite).transaction { transaction in
                try transaction.setStoredValue(nil, for: key)
                return Array(optional: try transaction.storedValue(for: key))
            }
        case "remove": try store(suite).setStoredValue(nil, for: key)
        case "setAll":
            guard case .dictionary(let values) = words[1] else { return [] }
            try store(suite).transaction { transaction in
                for (key, value) in values { try transaction.setStoredValue(value, for: key) }
            }
        case "removeAll": try store(suite).removeAll()
        case "flush": try store(suite).flush()
        case "close": stores[suite] = nil
        case "lockDevice":
            stores[suite] = UserDefaultsKVStore(suiteName: suite) { [lock] in
                lock.isOpen.load(ordering: .relaxed)
            }
        case "unlockDevice": lock.isOpen.store(true, ordering: .relaxed)
        case "fill": return [.real(try fill(suite, count: number))]
        case "time":
            return [.real(try time { _ = try run(words[0].text ?? "", Array(words[1...])) })]
        case "append": try append(suite, prefix: key, count: number)
        case "countUp": try countUp(suite, key)
        case "bump": try bump(suite, key, count: number)
        case "hammer": return [.integer(Int64(try hammer(suite, count: number)))]
        case "firstTouch": return [.integer(Int64(firstTouch(suite, key)))]
        case "pairs": return [.integer(Int64(try pairs(suite, count: number)))]
        case "watch": watch(suite, key)
        case "next": return deliveries.next(seconds: number)
        case "reports": return reports.codes.withLock { $0 }
        case "limitFiles": limitFileSize(to: number)
        case "becomeNobody": return [.bool(setgid(65534) == 0 && setuid(65534) == 0)]
        default:
            return try runBridged(command, suite: suite, key: key, words: words)
                ?? runRaw(command, suite: suite, key: key, words: words)
        }
        return []
    }

    func store(_ suite: String) -> UserDefaultsKVStore {
        if let store = stores[suite] { return store }
        let isCoalesced = suite.hasPrefix("coalesced ")
        let name = isCoalesced ? String(suite.dropFirst("coalesced ".count)) : suite
        let store = UserDefaultsKVStore(
            suiteName: name == "standard" ? nil : name,
            writing: isCoalesced ? .coalesced : .immediate
        )
        stores[suite] = store
        return store
    }

    private func watch(_ suite: String, _ key: String) {
        let names = key.isEmpty ? nil : [key]
        let log = deliveries
        guard let feed = store(suite).feed else { return }
        subscriptions.append(feed.observe(names) { log.append($0) })
    }

    /// Stores many keys in one transaction, and returns the seconds it took.
    private func fill(_ suite: String, count: Int) throws -> Double {
        try time {
            try store(suite).transaction { transaction in
                for index in 0..<count {
                    try transaction.setStoredValue(.string("value \(index)"), for: "key\(index)")
                }
            }
        }
    }

    /// Stores one number after the other, writing out every tenth, and prints each that is written.
    private func countUp(_ suite: String, _ key: String) throws {
        for index in 1... {
            try store(suite).transaction { transaction in
                try transaction.setStoredValue(.integer(Int64(index)), for: key)
                try transaction.setStoredValue(.integer(Int64(index)), for: key + " again")
            }
            guard index.isMultiple(of: 10) else { continue }
            try store(suite).flush()
            say("\(index)")
        }
    }

    /// Stores distinct keys one by one, and prints each once it is acknowledged.
    private func append(_ suite: String, prefix: String, count: Int) throws {
        for index in 0..<count {
            try store(suite).setStoredValue(.integer(Int64(index)), for: "\(prefix)\(index)")
            say("\(index)")
        }
    }

    private func bump(_ suite: String, _ key: String, count: Int) throws {
        for _ in 0..<count {
            try store(suite).update(KVDefaultKey(key, default: 0)) { $0 += 1 }
        }
    }

    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Keeps a file from growing beyond a number of bytes, as a full disk would.
    private func limitFileSize(to bytes: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        limit.rlim_cur = bytes == 0 ? rlim_t.max : rlim_t(bytes)
        limit.rlim_max = rlim_t.max
        _ = unsafe setrlimit(__rlimit_resource_t(1), &limit)
    }
}

/// Whether a device was unlocked since it started.
final class DeviceLock: Sendable {
    let isOpen = Atomic(false)
}

extension PropertyListValue {
    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var number: Int? {
        if case .integer(let number) = self { return Int(number) }
        return nil
    }
}

extension [PropertyListValue] {
    init(optional value: PropertyListValue?) {
        self = value.map { [$0] } ?? []
    }
}
