import KVStore

extension KVContractRule {
    static let nilRules: [KVContractRule] = [
        nilRemoves, explicitNilIsKept, storedNullReadsAsNil,
    ]

    package static let nilRemoves = steps(
        "nil removes",
        "Setting nil of any depth, through any call, leaves no key and stores no null."
    ) { trial in
        let store = try trial.makeStore()
        let name = KVKey<String?>("name")
        let deep = KVKey<Int??>("name")
        let plain = KVKey<String>("name")
        let writes: [(String, () throws -> Void)] = [
            ("set", { try store.set(name, value: nil) }),
            ("set of a nested nil", { try store.set(deep, value: .some(nil)) }),
            ("set in generic code", { try Self.set(name, to: nil, in: store) }),
            ("subscript", { store[name] = nil }),
            ("subscript of a plain key", { store[plain] = nil }),
            ("update", { try store.update(name) { $0 = nil } }),
            ("update of a plain key", { try store.update(plain) { $0 = nil } }),
            ("transaction", { try store.transaction { try $0.set(name, value: nil) } }),
            ("remove", { try store.remove(plain) }),
            ("raw nil", { try store.setStoredValue(nil, for: "name") }),
        ]
        for (call, write) in writes {
            try store.set(plain, value: "Ada")
            try write()
            try trial.expect(
                store.storedValue(for: "name"),
                equals: nil,
                "what nil stored through \(call)"
            )
            try trial.expect(store.keys(), equals: [], "the keys after nil through \(call)")
            try trial.expect(store.get(name), equals: nil, "a read after nil through \(call)")
            try write()  // Removing what is absent is no error.
        }
    }

    package static let explicitNilIsKept = steps(
        "nil for an optional with a default is kept if the default is not nil",
        "It reads back as nil and not as the default; with a default of nil it removes."
    ) { trial in
        let store = try trial.makeStore()
        let limit = KVDefaultKey<Int?>("limit", default: 10)
        try trial.expect(store.get(limit), equals: 10, "the default")
        try store.set(limit, value: nil)
        try trial.expect(store.get(limit), equals: nil, "an explicit nil")
        try trial.expect(store.contains(limit), "an explicit nil to be contained")
        try store.update(limit) { $0 = ($0 ?? 0) + 1 }
        try trial.expect(store.get(limit), equals: 1, "an update of an explicit nil")
        let bare = KVDefaultKey<Int?>("limit", default: nil)
        try store.set(bare, value: nil)
        try trial.expect(store.contains(bare), equals: false, "whether a removed key is contained")
    }

    package static let storedNullReadsAsNil = steps(
        "a stored null reads as nil or as the default",
        "A null in the medium is contained, and reads as no value of the key's type."
    ) { trial in
        let store = try trial.makeStore()
        try store.setStoredValue("$null", for: "key")
        try trial.expect(store.value(for: KVKey<Int>("key")), equals: nil, "a stored null")
        try trial.expect(store.value(for: KVKey<String?>("key")), equals: nil, "a stored null")
        try trial.expect(
            store.value(for: KVDefaultKey("key", default: 3)),
            equals: 3,
            "a stored null"
        )
        try trial.expect(store.contains(KVKey<Int>("key")), "a stored null to be contained")
    }

    /// Sets a value where the compiler does not know that it is optional.
    private static func set<Value: Codable & Sendable>(
        _ key: KVKey<Value>,
        to value: Value,
        in store: any KVStoring
    ) throws {
        try store.set(key, value: value)
    }
}
