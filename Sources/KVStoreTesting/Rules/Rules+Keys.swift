import KVStore

extension KVContractRule {
    static let keyRules: [KVContractRule] = [
        invalidKeysAreRefused, endlessKeysAreQuick, legalKeysAreKeys, spellingsAreOneKey,
        caseCounts, dotsArePlain, listingIsExact, removeAllRemovesAll, storesShareNothing,
    ]

    /// Names that no backend can hold.
    static let invalidNames = [
        "", String(repeating: "a", count: 4097), "\u{FEFF}key", "a\u{0}b", "a\u{1F}", "a\u{FFFE}",
        "a\u{FFFF}",
    ]

    /// A name that takes seconds to hash, because its marks have to be sorted.
    static let endlessName =
        "e" + String(repeating: "\u{345}\u{301}\u{323}\u{334}", count: 16_000)

    /// Names that every backend can hold, each a key of its own.
    fileprivate static let legalNames = [
        "a", "A", "a.b", "a_b", "a/b", "a:b", "a b", " a", "a ", ".", "..", "../a", "/", "\\", "%",
        "a%2Eb", "@x", "a@b", "$date", "$null", "#", "[0]", "{}", "\"", "'", "<key>&amp;", "\n",
        "a\tb", "a\nb", "é", "ß", "ss", "İ", "i", "日本語", "👩‍👩‍👧‍👦", "a\u{FEFF}", "\u{FFFD}",
        "\u{200D}", "0", "007", "true", "null", String(repeating: "k", count: 4096),
        String(repeating: "é", count: 2048),
    ]

    package static let invalidKeysAreRefused = steps(
        "names that no backend can hold are refused and read as absent",
        "Every kind of write throws invalidKey and stores nothing; no kind of read fails."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(KVKey<Int>("valid"), value: 1)
        for name in invalidNames {
            let key = KVKey<Int>(name)
            let shown = String(reflecting: name.prefix(8))
            let writes: [(String, () throws -> Void)] = [
                ("set", { try store.set(key, value: 1) }),
                ("remove", { try store.remove(key) }),
                ("update", { try store.update(key) { $0 = 1 } }),
                (
                    "transaction",
                    {
                        try store.transaction { transaction in
                            try transaction.set(KVKey<Int>("beside"), value: 2)
                            try transaction.set(key, value: 1)
                        }
                    }
                ),
            ]
            for (call, write) in writes {
                try trial.expectError(.invalidKey, "\(call) of \(shown)", of: write)
            }
            try trial.expect(store.value(for: key), equals: nil, "the value of \(shown)")
            try trial.expect(!store.contains(key), "\(shown) not to be contained")
            try store.transaction { transaction in
                try trial.expect(
                    transaction.value(for: key),
                    equals: nil,
                    "\(shown) in a transaction"
                )
            }
        }
        try trial.expect(store.storedValues(), equals: ["valid": 1], "the store")
    }

    package static let endlessKeysAreQuick = steps(
        "a name of 64,000 combining marks is refused at once",
        "Such names take seconds to hash, so none may be hashed before its length is checked."
    ) { trial in
        let store = try trial.makeStore()
        let key = KVKey<Int>(endlessName)
        try trial.expectQuick {
            try trial.expectError(.invalidKey, "set", of: { try store.set(key, value: 1) })
            try trial.expectError(.invalidKey, "remove", of: { try store.remove(key) })
            try trial.expect(store.get(key), equals: nil, "the value")
            try trial.expectError(.invalidKey, "update", of: { try store.update(key) { $0 = 1 } })
            try store.transaction { transaction in
                try trial.expect(transaction.get(key), equals: nil, "the value in a transaction")
            }
        }
    }

    package static let legalKeysAreKeys = steps(
        "every legal name is a key of its own",
        "Punctuation, blanks, newlines, marks of file formats and 4,096 bytes mean nothing."
    ) { trial in
        let store = try trial.makeStore()
        var expected: [String: PropertyListValue] = [:]
        for (index, name) in trial.legalNames.enumerated() {
            try store.set(KVKey<Int>(name), value: index)
            expected[name] = .integer(Int64(index))
        }
        for (index, name) in trial.legalNames.enumerated() {
            let shown = String(reflecting: name.prefix(20))
            try trial.expect(store.get(KVKey<Int>(name)), equals: index, "the value of \(shown)")
        }
        try trial.expect(
            store.storedValues() == expected,
            "all \(expected.count) keys to be listed"
        )
        for name in trial.legalNames {
            try store.remove(KVKey<Int>(name))
            expected[name] = nil
            let shown = String(reflecting: name.prefix(20))
            try trial.expect(
                store.storedValues() == expected,
                "nothing but \(shown) to be removed with it"
            )
        }
    }

    package static let spellingsAreOneKey = steps(
        "canonically equal spellings are one key",
        "A value written under one spelling is read, changed and removed under the other."
    ) { trial in
        let store = try trial.makeStore()
        let composed = KVKey<Int>("caf\u{E9}")
        let decomposed = KVKey<Int>("cafe\u{301}")
        for (one, other) in [(composed, decomposed), (decomposed, composed)] {
            try store.set(one, value: 1)
            try trial.expect(store.get(other), equals: 1, "the other spelling")
            try store.set(other, value: 2)
            try trial.expect(store.get(one), equals: 2, "the first spelling")
            try trial.expect(store.keys(), equals: [one.name], "the keys")
            try store.transaction { transaction in
                try transaction.set(one, value: 3)
                try trial.expect(transaction.get(other), equals: 3, "a write in a transaction")
                try transaction.set(other, value: 4)
            }
            try trial.expect(store.storedValues(), equals: [one.name: 4], "the store")
            try store.remove(other)
            try trial.expect(store.storedValues(), equals: [:], "the store after a removal")
        }
    }

    package static let caseCounts = steps(
        "case counts",
        "Key and key are two keys."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(KVKey<Int>("Key"), value: 1)
        try store.set(KVKey<Int>("key"), value: 2)
        try trial.expect(store.storedValues(), equals: ["Key": 1, "key": 2], "the store")
        try store.remove(KVKey<Int>("KEY"))
        try store.remove(KVKey<Int>("key"))
        try trial.expect(store.storedValues(), equals: ["Key": 1], "the store")
    }

    package static let dotsArePlain = steps(
        "a dot is a plain character",
        "a.b is neither b within a nor another spelling of a_b."
    ) { trial in
        let store = try trial.makeStore()
        let values: [String: PropertyListValue] = [
            "a": ["b": 1, "c": ["d": 2]], "a.b": 3, "a.c.d": 4, "a_b": 5, "a.": 6, ".a": 7,
        ]
        for (name, value) in values { try store.setStoredValue(value, for: name) }
        try trial.expect(store.storedValues(), equals: values, "the store")
        try trial.expect(store.storedValue(for: "a.c"), equals: nil, "a.c, which was not set,")
        try store.setStoredValue(nil, for: "a")
        for name in values.keys where name != "a" {
            try trial.expect(
                store.storedValue(for: name),
                equals: values[name],
                "\(name) after a was removed"
            )
        }
    }

    package static let listingIsExact = steps(
        "the keys listed are those stored",
        "Each once, through the store and in a transaction, with the transaction's own changes."
    ) { trial in
        let store = try trial.makeStore()
        try trial.expect(store.keys(), equals: [], "the keys of a new store")
        for name in ["a", "b", "c"] { try store.set(KVKey<Int>(name), value: 1) }
        try store.remove(KVKey<Int>("b"))
        try store.set(KVKey<Int>("a"), value: 2)
        try trial.expect(store.keys().sorted(), equals: ["a", "c"], "the keys")
        try store.transaction { transaction in
            try transaction.set(KVKey<Int>("d"), value: 1)
            try transaction.remove(KVKey<Int>("a"))
            try trial.expect(
                transaction.keys().sorted(),
                equals: ["c", "d"],
                "the keys in a transaction"
            )
            try trial.expect(store.keys().sorted(), equals: ["a", "c"], "the keys beside it")
        }
        try trial.expect(store.keys().sorted(), equals: ["c", "d"], "the keys after it")
    }

    package static let removeAllRemovesAll = steps(
        "removeAll leaves an empty store",
        "Also in a transaction, where it can be undone, and over a store that is empty already."
    ) { trial in
        let store = try trial.makeStore()
        try store.removeAll()
        let values: [String: PropertyListValue] = ["a": 1, "b": ["x": 1], "c": "d"]
        for (name, value) in values { try store.setStoredValue(value, for: name) }
        try trial.expectError(
            "the body's error",
            of: {
                try store.transaction { transaction in
                    try transaction.removeAll()
                    try trial.expect(transaction.keys(), equals: [], "the keys in the transaction")
                    throw Unencodable.Refusal()
                }
            }
        ) { $0 is Unencodable.Refusal }
        try trial.expect(store.storedValues(), equals: values, "the store after a failed removal")
        try store.removeAll()
        try trial.expect(store.storedValues(), equals: [:], "the store")
        try store.set(KVKey<Int>("a"), value: 1)
        try trial.expect(store.storedValues(), equals: ["a": 1], "the store, used again,")
    }

    package static let storesShareNothing = steps(
        "two stores share nothing",
        "Writing to one, or emptying it, does not touch the other."
    ) { trial in
        let one = try trial.makeStore()
        let other = try trial.makeStore()
        try one.set(KVKey<Int>("key"), value: 1)
        try trial.expect(other.storedValues(), equals: [:], "the other store")
        try other.set(KVKey<Int>("key"), value: 2)
        try other.removeAll()
        try trial.expect(one.storedValues(), equals: ["key": 1], "the first store")
    }
}

extension Trial {
    /// Checks that a body does nothing that takes seconds.
    ///
    /// It is run up to three times, because a machine that is busy with other things slows it too.
    func expectQuick(_ body: () throws -> Void) throws {
        var times: [Duration] = []
        while times.count < 3 {
            let time = try ContinuousClock().measure(body)
            // Hashing an endless name once takes two seconds of an idle processor.
            if time < .seconds(1) { return }
            times.append(time)
        }
        throw violation(expected: "an answer in milliseconds", found: "\(times)")
    }
}

extension Trial {
    /// Names that the stores can hold, each a key of its own.
    var legalNames: [String] {
        KVContractRule.legalNames.filter { $0.utf8.count <= nameLength }
    }
}
