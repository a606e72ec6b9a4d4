// The code of WhichSpelling.md, compiled. `ArticleTests` checks that each block stands here.

import Foundation
import KVStoreReactive

final class ServiceSettings: KVSettings, @unchecked Sendable {
    let store: ReactiveKVStore
    init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

    @KVStored("workers") var workers = 4
}

enum ServiceKeys {
    static let workers = KVDefaultKey("workers", default: 4)
    static let lastRun = KVKey<Date>("lastRun")
}

func finish(_ store: any KVStoring) throws {
    try store.transaction { t in
        try t.set(ServiceKeys.lastRun, value: .now)
        try t.update(ServiceKeys.workers) { $0 = max(1, $0 - 1) }
    }
}

func resize(_ store: ReactiveKVStore) {
    @KVStorage("workers", store: store) var workers = 4
    workers += 1
}

struct MailKeys {
    let signature = KVKey<String?>("signature")
    let retries = KVDefaultKey("retries", default: 3)
}

func mail(_ store: any KVStoring) throws {
    let settings = KVKeyCollection(MailKeys(), in: store, prefix: "mail.")
    settings.retries += 1
    settings[\.signature] = "Ada"
    try settings.handle(\.retries).update { $0 = min($0, 9) }
}

extension KVKeys {
    var fontSize: KVDefaultKey<Double> { KVDefaultKey("fontSize", default: 16) }
}

func observe(_ store: ReactiveKVStore) -> KVObservedValue<Double> {
    @KVStorage(\.fontSize, store: store) var fontSize
    fontSize += 1
    return KVObservedValue(\.fontSize, in: store)
}

final class OptionalSettings: KVSettings {
    let store: ReactiveKVStore
    init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

    @KVStored("nickname") var nickname: String?  // nil removes
    @KVStored("limit") var limit: Int? = 10  // nil is stored: no limit
}

func count(_ settings: ServiceSettings) throws {
    try settings.$workers.update { $0 += 1 }
}
