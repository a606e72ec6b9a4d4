// Works on a JSON file in a process of its own, for tests that kill it, starve it or run several.

import Foundation
import KVStore

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let url = URL(filePath: arguments[2])

@Sendable func say(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
}

do {
    switch arguments[1] {
    case "write":
        // Sets keys of its own and counts on one that all share.
        let store = try JSONFileKVStore(url: url)
        let name = arguments[3]
        for number in 0..<(Int(arguments[4]) ?? 0) {
            try store.set(KVKey<Int>("\(name).\(number)"), value: number)
            try store.update(KVDefaultKey("count", default: 0)) { $0 += 1 }
        }
    case "pairs":
        // Writes pairs for ever and says which are stored.
        let isPowerSafe = arguments.count > 3 && arguments[3] == "power"
        let store = try JSONFileKVStore(url: url, durability: isPowerSafe ? .power : .process)
        var number = store.get(KVDefaultKey("first", default: 0))
        while true {
            number += 1
            try store.transaction { t in
                try t.set(KVKey<Int>("first"), value: number)
                try t.set(KVKey<Int>("second"), value: number)
            }
            say("\(number)")
        }
    case "observe":
        // Says what each commit makes of a number, and whether it sums up several.
        let store = try JSONFileKVStore(url: url)
        let subscription = store.feed?.observe(["number"]) { delivery in
            guard case .integer(let number)? = delivery.values.first ?? nil else { return }
            say("\(number) \(delivery.commit?.isMerged == true)")
        }
        say("ready")
        // What stands after an endless loop does not keep anything alive when optimised.
        while true { withExtendedLifetime(subscription) { _ = sleep(1000) } }
    case "set":
        try JSONFileKVStore(url: url).set(KVKey<Int>(arguments[3]), value: Int(arguments[4]) ?? 0)
    case "print":
        say(PropertyListValue.dictionary(try JSONFileKVStore(url: url).storedValues()).jsonText)
    case "fill":
        // Writes more than a file may hold here.
        let store = try JSONFileKVStore(url: url)
        var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
        #if canImport(Darwin)
        unsafe _ = setrlimit(RLIMIT_FSIZE, &limit)
        #else
        unsafe _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
        #endif
        _ = signal(SIGXFSZ, SIG_IGN)
        do {
            try store.set(KVKey<String>("a"), value: String(repeating: "x", count: 100_000))
        } catch let error as KVStoreError {
            say("\(error.code) \(store.get(KVKey<String>("a")) ?? "nothing")")
        }
    case "unprivileged":
        // Opens and writes without root's rights.
        guard setuid(65534) == 0 else { exit(77) }
        let store = try JSONFileKVStore(url: url)
        try store.set(KVKey<Int>("a"), value: 1)
    default:
        exit(64)
    }
} catch let error as KVStoreError {
    say("\(error.code)")
    exit(1)
}
