import KVStore

extension KVContractRule {
    static let domainRules: [KVContractRule] = [
        valuesOutliveTheStore, treesOutliveTheStore, keysOutliveTheStore,
        removalsOutliveTheStore, savingNeighboursKeepsAll, storesSeeEachOther,
        storesUpdateTogether, storesReportEachOther, nestedWriteThroughAnotherStore,
        subscriptionsEndWithTheLastStore,
    ]

    private static let key = KVKey<Int>("key")

    package static let valuesOutliveTheStore = steps(
        "values are the same after reopening",
        "Every kind that media are known to lose, as stored and as read.",
        needs: .persists
    ) { trial in
        let domain = try trial.makeDomain()
        try using(domain) { try Sample.write(Samples.all, to: $0) }
        try using(domain) { try Sample.expectKept(Samples.all, in: $0, trial) }
    }

    package static let treesOutliveTheStore = steps(
        "trees written raw are the same after reopening",
        "Marks of the medium and of a newer version among them.",
        needs: .persists
    ) { trial in
        let domain = try trial.makeDomain()
        let trees = Dictionary(Samples.rawTrees, uniquingKeysWith: { $1 })
        try using(domain) { store in
            try store.transaction { transaction in
                for (name, tree) in trees { try transaction.setStoredValue(tree, for: name) }
            }
        }
        try using(domain) { store in
            for (name, tree) in trees {
                try trial.expect(store.storedValue(for: name), equals: tree, "\(name), reopened,")
            }
            try trial.expect(store.storedValues(), equals: trees, "all values, reopened,")
        }
    }

    package static let keysOutliveTheStore = steps(
        "every legal name is the same key after reopening",
        "Spellings too: a key is found under each canonically equal one.",
        needs: .persists
    ) { trial in
        let domain = try trial.makeDomain()
        try using(domain) { store in
            for (index, name) in trial.legalNames.enumerated() {
                try store.set(KVKey<Int>(name), value: index)
            }
            try store.set(KVKey<Int>("cafe\u{301}"), value: -1)
        }
        try using(domain) { store in
            for (index, name) in trial.legalNames.enumerated() {
                let shown = String(reflecting: name.prefix(20))
                try trial.expect(store.get(KVKey<Int>(name)), equals: index, "\(shown), reopened,")
            }
            try trial.expect(store.get(KVKey("caf\u{E9}")), equals: -1, "café, reopened,")
            try trial.expect(
                store.keys().count,
                equals: trial.legalNames.count + 1,
                "the number of keys"
            )
        }
    }

    package static let removalsOutliveTheStore = steps(
        "what was removed is absent after reopening",
        "Single keys, and all of them; an explicit nil stays one.",
        needs: .persists
    ) { trial in
        let domain = try trial.makeDomain()
        let limit = KVDefaultKey<Int?>("limit", default: 10)
        try using(domain) { store in
            try store.set(key, value: 1)
            try store.set(limit, value: nil)
            try store.set(KVKey<Int>("gone"), value: 1)
        }
        try using(domain) { try $0.remove(KVKey<Int>("gone")) }
        try using(domain) { store in
            try trial.expect(
                store.keys().sorted(),
                equals: ["key", "limit"],
                "the keys, reopened,"
            )
            try trial.expect(store.get(limit), equals: nil, "an explicit nil, reopened,")
            try store.removeAll()
        }
        try using(domain) { store in
            try trial.expect(store.storedValues(), equals: [:], "an emptied store, reopened,")
        }
    }

    package static let savingNeighboursKeepsAll = steps(
        "values that were read from the medium are written back as they were",
        "A store that was opened and saved one key has altered no other.",
        needs: .persists
    ) { trial in
        let domain = try trial.makeDomain()
        try using(domain) { try Sample.write(Samples.all, to: $0) }
        for round in 1...3 {
            try using(domain) { try $0.set(key, value: round) }
        }
        try using(domain) { store in
            try trial.expect(store.get(key), equals: 3, "the saved key, reopened,")
            try store.remove(key)
            try Sample.expectKept(Samples.all, in: store, trial)
        }
    }

    package static let storesSeeEachOther = steps(
        "two stores over the same values see each other's writes at once",
        "Sets, removals and transactions, both ways.",
        needs: .sharesDomain
    ) { trial in
        let domain = try trial.makeDomain()
        let stores = [try domain.open(), try domain.open()]
        for (one, other) in [(stores[0], stores[1]), (stores[1], stores[0])] {
            try one.set(key, value: 1)
            try trial.expect(other.get(key), equals: 1, "what the other store set")
            try other.transaction { try $0.set(key, value: $0.get(key).map { $0 + 1 } ?? 0) }
            try trial.expect(one.get(key), equals: 2, "what the other store committed")
            try one.removeAll()
            try trial.expect(other.storedValues(), equals: [:], "what the other store emptied")
        }
    }

    package static let storesUpdateTogether = steps(
        "no update is lost between two stores over the same values",
        "Eight threads, four on each store, add one a hundred times each.",
        needs: .sharesDomain
    ) { trial in
        let domain = try trial.makeDomain()
        let stores = [try domain.open(), try domain.open()]
        let count = KVDefaultKey("count", default: 0)
        try trial.startThreads(8) { index in
            for _ in 0..<100 {
                try trial.insisting { try stores[index % 2].update(count) { $0 += 1 } }
            }
        }.wait(times: 2)
        for store in stores { try trial.expect(store.get(count), equals: 800, "the count") }
    }

    package static let storesReportEachOther = waiting(
        "a store reports the commits of another store over the same values",
        "As anotherStore's, its own as thisStore's, and both number them alike.",
        needs: [.observes, .sharesDomain]
    ) { trial in
        let domain = try trial.makeDomain()
        let one = try domain.open()
        let other = try domain.open()
        let observers = [
            try trial.observe(nil, of: one, initial: false),
            try trial.observe(nil, of: other, initial: false),
        ]
        try one.set(key, value: 1)
        try other.set(key, value: 2)
        try other.transaction { try $0.remove(key) }
        try one.setStoredValue(true, for: Trial.endMark)
        var numbers: [[UInt64]] = []
        let origins = [
            ["thisStore", "anotherStore", "anotherStore"],
            ["anotherStore", "thisStore", "thisStore"],
        ]
        for (observer, expected) in zip(observers, origins) {
            let commits = try await observer.deliveries(until: \.isEndMark, "the end mark")
                .dropLast().compactMap(\.commit)
            try trial.expect(commits.map { "\($0.origin)" }, equals: expected, "the origins")
            let news = commits.map { $0.change(of: "key")?.new }
            try trial.expect(news, equals: [1, 2, nil], "the new values")
            numbers.append(commits.map(\.sequence))
        }
        try trial.expect(numbers[0], equals: numbers[1], "the numbers of the commits")
    }

    package static let nestedWriteThroughAnotherStore = steps(
        "a write through another store over the same values is refused inside a body",
        "It throws nestedWrite, as a write through the store itself does.",
        needs: .sharesDomain
    ) { trial in
        let domain = try trial.makeDomain()
        let one = try domain.open()
        let other = try domain.open()
        try one.transaction { transaction in
            try transaction.set(key, value: 1)
            try trial.expectError(.nestedWrite, "set", of: { try other.set(key, value: 2) })
            try trial.expectError(.nestedWrite, "update", of: { try other.update(key) { $0 = 2 } })
        }
        try trial.expect(other.storedValues(), equals: ["key": 1], "the store")
    }

    package static let subscriptionsEndWithTheLastStore = waiting(
        "a subscription lasts as long as any store over its values",
        "The store it was made from may go; with the last one it ends.",
        needs: [.observes, .sharesDomain]
    ) { trial in
        let domain = try trial.makeDomain()
        let observer = try writeThroughTheStoreThatIsLeft(over: domain, trial)
        let delivery = try await observer.next("a commit of the store that was left")
        try trial.expect(delivery.commit?.names, equals: ["key"], "the commit delivered")
        try await observer.expectEnd("the end, as the last store is gone")
    }

    /// Runs a body with a store, which is flushed and released afterwards.
    private static func using(
        _ domain: Trial.Domain,
        _ body: (any KVStoring) throws -> Void
    ) throws {
        let store = try domain.open()
        try body(store)
        try store.flush()
    }

    private static func writeThroughTheStoreThatIsLeft(
        over domain: Trial.Domain,
        _ trial: Trial
    ) throws -> Observer {
        let left = try domain.open()
        let observer = try { try trial.observe(nil, of: domain.open(), initial: false) }()
        try left.set(key, value: 1)
        return observer
    }
}
