// The code of the articles about layers, migrations and failures, compiled. `LayersArticlesTests`
// checks that each block stands here.

import Foundation
import KVStoreReactive
import KVStoreTesting
import KVStoreUserDefaults
import Synchronization
import Testing

enum MailerKeys {
    static let workers = KVDefaultKey("workers", default: 4)
    static let relay = KVKey<String>("relay")
    static let lastRun = KVKey<Date>("lastRun")
}

func openLayers(settingsURL: URL) throws -> LayeredKVStore {
    let file = try JSONFileKVStore(url: settingsURL)
    let arguments = InMemoryKVStore(arguments: CommandLine.arguments)
    let defaults = InMemoryKVStore()
    try defaults.set(MailerKeys.relay, value: "localhost")
    let store = LayeredKVStore(arguments, file, defaults: defaults)
    return store
}

func describe(_ store: LayeredKVStore) throws -> String {
    let workers = store.get(MailerKeys.workers)
    switch try store.layer(of: MailerKeys.workers) {
    case 0: return "\(workers) workers, as you asked"
    case 1: return "\(workers) workers, as the file says"
    default: return "\(workers) workers"
    }
}

func addWorker(to file: JSONFileKVStore) throws {
    try file.update(MailerKeys.workers) { $0 += 1 }
}

func followWorkers(of store: LayeredKVStore, pool: (Int) -> Void) async {
    func resizePool(to workers: Int) { pool(workers) }
    for await workers in ReactiveKVStore(store).stream(MailerKeys.workers) {
        resizePool(to: workers)
    }
}

func useScope(of store: any KVStoring) throws {
    let cache = store.scoped(to: "cache.")
    try cache.set(KVKey<Int>("limit"), value: 500)  // "cache.limit" in the file
    try cache.removeAll()  // leaves everything else
}

func mailerMigration() -> KVMigration {
    let migration = KVMigration([
        KVMigration.Step(1) { t in
            try t.rename(MailerKeys.relay, previousName: "smtpHost")
        },
        KVMigration.Step(2) { t in
            try t.retype(MailerKeys.lastRun) { raw in
                try Date(timeIntervalSince1970: raw.decode(Double.self))
            }
        },
        KVMigration.Step(3) { t in
            guard let pool = try t.storedValue(for: "pool") else { return }
            try t.set(MailerKeys.workers, value: pool.decode([String: Int].self)["size"] ?? 4)
            try t.setStoredValue(nil, for: "pool")
        },
    ])
    return migration
}

func migrate(_ file: any KVStoring, by migration: KVMigration) throws -> [Int] {
    for change in try migration.preview(on: file) {
        print(change.name, "changes")
    }
    let made = try migration.run(on: file)
    return made
}

func moveToFile(_ file: JSONFileKVStore) throws {
    let defaults = UserDefaultsKVStore(suiteName: "mailer")
    try defaults.move([MailerKeys.workers], to: file)  // a key
    try defaults.copy(to: file)  // the whole domain into a file
    try file.copy(to: defaults)  // and back
}

func saveRelay(_ relay: String, in store: any KVStoring) -> String? {
    do {
        try store.set(MailerKeys.relay, value: relay)
        return nil
    } catch let error as KVStoreError where error.code == .unwritable {
        return "The settings could not be saved. \(error)"
    } catch {
        return "\(error)"
    }
}

func logErrors(log: @escaping @Sendable (String) -> Void) {
    KVStoreError.setHandler { error in
        log("preferences: \(error)")
    }
}

struct DiskFull: Error {}

func useFailingStores() {
    let broken = FailingKVStore(InMemoryKVStore())
    #expect(saveRelay("mx.example.com", in: broken) != nil)
    #expect(broken.get(MailerKeys.relay) == nil)
    let errors = Mutex<[String]>([])
    KVStoreError.withHandler({ error in errors.withLock { $0.append("\(error)") } }) {
        broken[MailerKeys.workers] = 8
    }
    #expect(errors.withLock { $0.count } == 1)
}

func makeForgetfulStore() -> FailingKVStore {
    let forgetful = FailingKVStore(InMemoryKVStore()) { call in
        switch call.kind {
        case .write where call.number == 2: .error(DiskFull())
        case .read where call.key == "relay": .corruption(["not": "a string"])
        default: nil
        }
    }
    return forgetful
}
