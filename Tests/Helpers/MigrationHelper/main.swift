// Migrates and moves values in a process of its own, which kills itself at a chosen point.
//
//   MigrationHelper migrate <file> <point>
//   MigrationHelper move <suite> <file> <point>     copy <suite> <file>
//   MigrationHelper restore <file> <suite>          plant <suite>      print <suite>

import Foundation
import KVStoreTesting
import KVStoreUserDefaults
import Synchronization

let arguments = Array(CommandLine.arguments.dropFirst())

/// Counts a moment at which a process may be killed, and is killed at the chosen one.
final class Points: Sendable {
    private let fatal: Int
    private let count = Mutex(0)

    init(fatal: String?) {
        self.fatal = fatal.flatMap(Int.init) ?? 0
    }

    func pass() {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number == fatal { kill(getpid(), SIGKILL) }
    }

    /// A store whose writes and flushes are such moments.
    func watching(_ store: any KVStoring) -> FailingKVStore {
        FailingKVStore(store) { call in
            if call.kind == .write || call.kind == .flush { self.pass() }
            return nil
        }
    }
}

func migrate(_ store: any KVStoring, _ points: Points) throws {
    let steps = [
        KVMigration.Step(1) { t in
            points.pass()
            try t.rename(KVKey<String>("nickname"), previousName: "userName")
            points.pass()
        },
        KVMigration.Step(2) { t in
            try t.retype(KVKey<Double>("fontSize")) { try Double($0.decode(String.self)) }
            points.pass()
        },
        KVMigration.Step(4) { t in
            let sizes = t.get(KVDefaultKey("window", default: "")).split(separator: "x")
            try t.set(KVKey<Int>("width"), value: sizes.first.flatMap { Int($0) } ?? 0)
            points.pass()
            try t.set(KVKey<Int>("height"), value: sizes.last.flatMap { Int($0) } ?? 0)
            try t.remove(KVKey<String>("window"))
        },
        // Made twice, this one would show.
        KVMigration.Step(5) { t in try t.update(KVDefaultKey("upgrades", default: 0)) { $0 += 1 } },
    ]
    _ = try KVMigration(steps).run(on: points.watching(store))
    points.pass()
}

func plant(_ defaults: UserDefaults?) {
    defaults?.set("Ada", forKey: "name")
    defaults?.set(true, forKey: "flag")
    defaults?.set(7, forKey: "count")
    defaults?.set(0.25, forKey: "ratio")
    defaults?.set(Data([1, 2]), forKey: "bytes")
    defaults?.set(Date(timeIntervalSinceReferenceDate: 1), forKey: "day")
    defaults?.set(["a": [1, 2], "b": ["c": "d"]], forKey: "tree")
}

func file(_ path: String) throws -> JSONFileKVStore {
    try JSONFileKVStore(url: URL(filePath: path))
}

do {
    switch arguments.first {
    case "migrate":
        try migrate(file(arguments[1]), Points(fatal: arguments[2]))
    case "move":
        let points = Points(fatal: arguments[3])
        let suite = points.watching(UserDefaultsKVStore(suiteName: arguments[1]))
        let left = try suite.move(to: points.watching(file(arguments[2])))
        points.pass()
        print(left.sorted())
    case "copy":
        try UserDefaultsKVStore(suiteName: arguments[1]).copy(to: file(arguments[2]))
    case "restore":
        try file(arguments[1]).copy(to: UserDefaultsKVStore(suiteName: arguments[2]))
    case "plant":
        plant(UserDefaults(suiteName: arguments[1]))
        _ = UserDefaults(suiteName: arguments[1])?.synchronize()
        try UserDefaultsKVStore(suiteName: arguments[1]).set(KVKey<Double>("own"), value: -0.0)
    case "print":
        let values = try UserDefaultsKVStore(suiteName: arguments[1]).storedValues()
        print(PropertyListValue.dictionary(values).jsonText)
    default:
        exit(64)
    }
} catch {
    print("\(error)")
    exit(1)
}
