// The code of WhatIsStored.md and Transactions.md, compiled and run.

import KVStore
import Testing

private struct ReaderStyle: Codable, Sendable {
    var theme = "light"
    var accent: String?
    var sizes: [Double] = []
}

private enum AccountKeys {
    static let balance = KVDefaultKey("balance", default: 100)
    static let visits = KVDefaultKey("visits", default: 0)
    static let lastPayment = KVKey<Int>("lastPayment")
}

private struct TooLittle: Error {}

@Suite("WhatIsStored.md and Transactions.md")
struct StoredTour {
    private let store: any KVStoring = InMemoryKVStore()

    @Test func whatIsStoredDoesWhatItSays() throws {
        let style = KVKey<ReaderStyle>("style")
        try store.set(style, value: ReaderStyle(theme: "dark", sizes: [1, 1.5]))
        #expect(try store.storedValues() == ["style": ["theme": "dark", "sizes": [1.0, 1.5]]])

        try store.setStoredValue(["theme": 7, "sizes": ["wide"]], for: "style")
        #expect(store.get(style) == nil)
        #expect(store.contains(style))
        #expect(throws: DecodingError.self) { try store.value(for: style) }

        let limit = KVDefaultKey<Int?>("limit", default: 10)
        #expect(store.get(limit) == 10)
        try store.set(limit, value: nil)
        #expect(store.get(limit) == nil)
        #expect(try store.storedValue(for: "limit") == "$null")

        let speed = KVKey<Duration>(
            "speed",
            bridge: KVBridge(
                encode: { .integer($0.components.seconds) },
                decode: { stored in .seconds(try stored.decode(Int.self)) }
            )
        )
        try store.set(speed, value: .seconds(90))
        #expect(try store.storedValue(for: "speed") == 90)
        #expect(store.get(speed) == .seconds(90))
    }

    @Test func transactionsDoWhatTheySay() throws {
        try store.update(AccountKeys.balance) { $0 += 20 }
        try store.transaction { t in
            let balance = try t.value(for: AccountKeys.balance)
            guard balance >= 50 else { throw TooLittle() }
            try t.set(AccountKeys.balance, value: balance - 50)
            try t.set(AccountKeys.lastPayment, value: 50)
        }
        #expect(try store.storedValues() == ["balance": 70, "lastPayment": 50])

        var welcomes = 0
        func welcome() { welcomes += 1 }
        let isFirst = try store.transaction { t in
            let visits = try t.value(for: AccountKeys.visits)
            try t.set(AccountKeys.visits, value: visits + 1)
            return visits == 0
        }
        if isFirst { welcome() }
        #expect(welcomes == 1)

        try store.transaction { t in
            try t.update(AccountKeys.visits) { $0 += 1 }
            do {
                try t.transaction { inner in
                    try inner.set(AccountKeys.lastPayment, value: 70)
                    throw TooLittle()
                }
            } catch is TooLittle {}  // The visit stays counted, the payment is not noted.
        }
        #expect(try store.storedValues() == ["balance": 70, "lastPayment": 50, "visits": 2])

        func close(_ account: some KVAccessing) throws {
            try account.remove(AccountKeys.balance)
            try account.remove(AccountKeys.lastPayment)
        }

        try store.transaction { t in try close(t) }
        #expect(try store.storedValues() == ["visits": 2])
    }
}
