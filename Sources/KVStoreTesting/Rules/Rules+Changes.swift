import KVStore

extension KVContractRule {
    static let changeRules: [KVContractRule] = [
        presentValueThenChanges, initialCanBeLeftOut, equalValueIsNoChange,
        anotherShapeIsAChange, removeAllReportsEachKey, transactionIsOneCommit,
        failuresReportNothing, sequenceGrowsByOne, ownCommitsAreOwn, otherKeysStayQuiet,
        everyLegalKeyIsObserved, spellingsAreObservedAsOne, severalKeysAreFollowedTogether,
    ]

    private static let key = KVKey<Int>("key")

    package static let presentValueThenChanges = waiting(
        "a subscription gives the present value once, then every change in order",
        "For a key that is there and for one that is not, sets and removals alike."
    ) { trial in
        let store = try trial.makeStore()
        let absent = try await trial.values(of: "key", in: store) { store in
            try store.set(key, value: 1)
            try store.set(key, value: 2)
            try store.remove(key)
            try store.set(key, value: 3)
            try store.update(key) { $0 = 4 }
        }
        try trial.expect(absent, equals: [nil, 1, 2, nil, 3, 4], "the values delivered")
        try store.remove(KVKey<Bool>(Trial.endMark))
        let present = try await trial.values(of: "key", in: store) { store in
            try store.set(key, value: 5)
        }
        try trial.expect(present, equals: [4, 5], "the values delivered")
    }

    package static let initialCanBeLeftOut = waiting(
        "a subscription without the present value gives changes alone",
        "Nothing is delivered for what was stored before."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(key, value: 1)
        let values = try await trial.values(of: "key", in: store, initial: false) { store in
            try store.set(key, value: 2)
        }
        try trial.expect(values, equals: [2], "the values delivered")
    }

    package static let equalValueIsNoChange = waiting(
        "writing an equal value is no change",
        "Nor is removing an absent key, or a transaction that ends where it began."
    ) { trial in
        let store = try trial.makeStore()
        let trees: [PropertyListValue] = [
            1, 1.0, .real(.nan), true, "é", ["a": [1, 2.5]], [], .unsignedInteger(.max),
        ]
        for (index, tree) in trees.enumerated() {
            try store.setStoredValue(tree, for: "\(index)")
        }
        let commits = try await trial.commits(to: store) { store in
            for (index, tree) in trees.enumerated() {
                try store.setStoredValue(tree, for: "\(index)")
                try store.transaction { transaction in
                    try transaction.setStoredValue("between", for: "\(index)")
                    try transaction.setStoredValue(tree, for: "\(index)")
                }
            }
            try store.remove(KVKey<Int>("absent"))
            try store.update(KVKey<Int>("0")) { $0 = 1 }
            try store.transaction { transaction in
                try transaction.set(KVKey<Int>("new"), value: 1)
                try transaction.remove(KVKey<Int>("new"))
            }
        }
        try trial.expect(commits.map(\.names), equals: [], "the keys said to have changed")
    }

    package static let anotherShapeIsAChange = waiting(
        "a value that is stored differently is a change, however equal it looks",
        "1 and 1.0, 0.0 and -0.0, true and 1, and two spellings of é are different values."
    ) { trial in
        let store = try trial.makeStore()
        let trees: [PropertyListValue] = [
            1, 1.0, 1, true, 1, "1", 0.0, .real(-0.0), "caf\u{E9}", "cafe\u{301}", "", [], [:],
        ]
        let values = try await trial.values(of: "key", in: store, initial: false) { store in
            for tree in trees { try store.setStoredValue(tree, for: "key") }
        }
        try trial.expect(values, equals: trees, "the values delivered")
    }

    package static let removeAllReportsEachKey = waiting(
        "removeAll reports each key it removed, in one commit",
        "With its old value, and to those who follow one key as well."
    ) { trial in
        let store = try trial.makeStore()
        let names = ["a", "b", "c"]
        for name in names { try store.set(KVKey<String>(name), value: name) }
        let observers = try names.map { name in
            try trial.observe([name, Trial.endMark], of: store, initial: false)
        }
        let commits = try await trial.commits(to: store) { try $0.removeAll() }
        try trial.expect(commits.count, equals: 1, "the number of commits")
        try trial.expect(commits.flatMap(\.names), equals: names, "the keys reported")
        for change in commits.flatMap(\.changes) {
            try trial.expect(change.old, equals: .string(change.name), "the old value")
            try trial.expect(change.new, equals: nil, "the new value")
        }
        for (name, observer) in zip(names, observers) {
            let delivery = try await observer.next("the removal of \(name)")
            try trial.expect(delivery.isEndMark, equals: false, "whether \(name) was forgotten")
            try trial.expect(delivery.values, equals: [nil, nil], "the value of \(name)")
        }
    }

    package static let transactionIsOneCommit = waiting(
        "a transaction is one commit",
        "With the net change of each key, and one delivery to those who follow several of them."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(KVKey<Int>("b"), value: 1)
        let observer = try trial.observe(["a", "b"], of: store, initial: false)
        let commits = try await trial.commits(to: store) { store in
            try store.transaction { transaction in
                try transaction.set(KVKey<Int>("a"), value: 1)
                try transaction.set(KVKey<Int>("a"), value: 2)
                try transaction.remove(KVKey<Int>("b"))
                try transaction.set(KVKey<Int>("c"), value: 3)
                try transaction.transaction { try $0.set(KVKey<Int>("d"), value: 4) }
            }
            try store.set(KVKey<Int>("a"), value: 5)
        }
        try trial.expect(
            commits.map(\.names),
            equals: [["a", "b", "c", "d"], ["a"]],
            "the keys of the commits"
        )
        try trial.expect(commits.first?.change(of: "a")?.old, equals: nil, "the old value")
        try trial.expect(commits.first?.change(of: "a")?.new, equals: 2, "the new value")
        try trial.expect(commits.first?.change(of: "b")?.old, equals: 1, "the old value")
        try trial.expect(commits.first?.change(of: "b")?.new, equals: nil, "the new value")
        let first = try await observer.next("the first commit")
        let second = try await observer.next("the second commit")
        try trial.expect(first.values, equals: [2, nil], "the values after the first commit")
        try trial.expect(second.values, equals: [5, nil], "the values after the second commit")
    }

    package static let failuresReportNothing = waiting(
        "what is not stored is not reported",
        "Bodies that throw, values that cannot be encoded and names that are refused."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(key, value: 1)
        let commits = try await trial.commits(to: store) { store in
            try trial.expectError(
                "an error",
                of: {
                    try store.set(KVKey<Unencodable>("key"), value: Unencodable())
                }
            ) { _ in true }
            try trial.expectError(
                "an error",
                of: {
                    try store.transaction { transaction in
                        try transaction.set(key, value: 2)
                        throw Unencodable.Refusal()
                    }
                }
            ) { _ in true }
            try trial.expectError(
                "an error",
                of: {
                    try store.set(KVKey<Int>(""), value: 2)
                }
            ) { _ in true }
            try store.transaction { _ = $0.get(key) }
        }
        try trial.expect(commits.map(\.names), equals: [], "the keys said to have changed")
    }

    package static let sequenceGrowsByOne = waiting(
        "the number of each commit is one more than that of the commit before",
        "Whatever made it; commits that change nothing are not counted."
    ) { trial in
        let store = try trial.makeStore()
        let early = try trial.observe(["key"], of: store, initial: false)
        let commits = try await trial.commits(to: store) { store in
            for round in 0..<5 {
                try store.set(key, value: round)
                try store.set(key, value: round)
                try store.update(KVDefaultKey("count", default: 0)) { $0 += 1 }
                try store.transaction { transaction in
                    try transaction.set(KVKey<Int>("x"), value: round)
                    try transaction.remove(key)
                }
            }
        }
        let first = try trial.firstSequence(of: commits)
        let numbers = (0..<15).map { first + $0 }
        try trial.expect(commits.map(\.sequence), equals: numbers, "the numbers of the commits")
        let delivery = try await early.next("the first commit")
        try trial.expect(
            delivery.commit?.sequence,
            equals: first,
            "the number of a commit, for all who follow it,"
        )
    }

    package static let ownCommitsAreOwn = waiting(
        "commits made through a store are its own",
        "Their origin is thisStore, and they are not marked as merged."
    ) { trial in
        let store = try trial.makeStore()
        let commits = try await trial.commits(to: store) { store in
            try store.set(key, value: 1)
            try store.transaction { try $0.set(key, value: 2) }
            try store.removeAll()
        }
        try trial.expect(
            commits.map { "\($0.origin)" },
            equals: ["thisStore", "thisStore", "thisStore"],
            "the origins"
        )
        try trial.expect(
            commits.map(\.isMerged),
            equals: [false, false, false],
            "the merged marks"
        )
    }

    package static let otherKeysStayQuiet = waiting(
        "changes of other keys are not delivered",
        "Not even of those that begin alike or differ in case."
    ) { trial in
        let store = try trial.makeStore()
        let values = try await trial.values(of: "key", in: store) { store in
            for name in ["key.a", "ke", "Key", "key ", "k.ey", "other"] {
                try store.set(KVKey<Int>(name), value: 1)
                try store.transaction { try $0.set(KVKey<Int>(name), value: 2) }
                try store.remove(KVKey<Int>(name))
            }
            try store.set(key, value: 1)
        }
        try trial.expect(values, equals: [nil, 1], "the values delivered")
    }

    package static let everyLegalKeyIsObserved = waiting(
        "every legal key is observed like any other",
        "Dots, @, blanks, newlines and long names mean nothing to a subscription."
    ) { trial in
        let store = try trial.makeStore()
        for name in trial.legalNames {
            try store.setStoredValue(nil, for: Trial.endMark)
            let values = try await trial.values(of: name, in: store) { store in
                try store.set(KVKey<Int>(name), value: 1)
                try store.remove(KVKey<Int>(name))
            }
            let shown = String(reflecting: name.prefix(20))
            try trial.expect(values, equals: [nil, 1, nil], "the values delivered of \(shown)")
        }
    }

    package static let spellingsAreObservedAsOne = waiting(
        "a key is observed under each canonically equal spelling",
        "A change written under one spelling reaches those who follow the other."
    ) { trial in
        let store = try trial.makeStore()
        let spellings = ["caf\u{E9}", "cafe\u{301}"]
        for spelling in spellings {
            try store.removeAll()
            let values = try await trial.values(of: spelling, in: store) { store in
                for (value, name) in zip(1..., spellings) {
                    try store.set(KVKey<Int>(name), value: value)
                }
            }
            try trial.expect(values, equals: [nil, 1, 2], "the values delivered")
        }
    }

    package static let severalKeysAreFollowedTogether = waiting(
        "a subscription to several keys gives the values of all in their order",
        "A key may be named twice; what did not change keeps its value."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(KVKey<Int>("b"), value: 1)
        let observer = try trial.observe(["a", "b", "a"], of: store)
        try store.set(KVKey<Int>("a"), value: 2)
        try store.set(KVKey<Int>("c"), value: 3)
        try store.remove(KVKey<Int>("b"))
        let expected: [[PropertyListValue?]] = [[nil, 1, nil], [2, 1, 2], [2, nil, 2]]
        for values in expected {
            let delivery = try await observer.next("the values \(values)")
            try trial.expect(delivery.values, equals: values, "the values delivered")
        }
    }
}

extension KVCommit {
    /// The names of the keys that changed, sorted.
    var names: [String] { changes.map(\.name).sorted() }
}

extension Trial {
    /// Returns the number of the first of some commits.
    func firstSequence(of commits: [KVCommit]) throws -> UInt64 {
        guard let first = commits.first else {
            throw violation(expected: "commits", found: "none")
        }
        return first.sequence
    }
}
