import KVStore

extension KVContractRule {
    static let transactionRules: [KVContractRule] = [
        throwingBodyChangesNothing, caughtFailureKeepsTheRest, transactionSeesOwnWrites,
        changesShowAtTheEnd, nestedTransactionsUndoTheirOwn, endedTransactionIsRefused,
        nestedWriteIsRefused, transactionReturnsTheResult, updateChangesOneKey,
        conflictingBodyRunsAgain, conflictingListingRunsAgain, transactionReadsOneState,
    ]

    private static let a = KVDefaultKey("a", default: 0)
    private static let b = KVDefaultKey("b", default: 0)
    private static let c = KVDefaultKey("c", default: 0)

    /// What the bodies of the rules throw.
    private struct Refusal: Error {}

    package static let throwingBodyChangesNothing = steps(
        "a body that throws changes nothing",
        "Sets, removals and updates made before are gone, and the body's error is passed on."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(a, value: 1)
        try store.set(b, value: 2)
        try trial.expectError(
            "the body's error",
            of: {
                try store.transaction { transaction in
                    try transaction.set(a, value: 10)
                    try transaction.remove(b)
                    try transaction.update(c) { $0 += 1 }
                    throw Refusal()
                }
            }
        ) { $0 is Refusal }
        try trial.expect(store.storedValues(), equals: ["a": 1, "b": 2], "the store")
        try trial.expectError(
            "the body's error",
            of: {
                try store.update(a) { value in
                    value = 10
                    throw Refusal()
                }
            }
        ) { $0 is Refusal }
        try trial.expect(store.storedValues(), equals: ["a": 1, "b": 2], "the store")
        try store.update(a) { $0 += 1 }
        try trial.expect(store.get(a), equals: 2, "an update after failed ones")
    }

    package static let caughtFailureKeepsTheRest = steps(
        "a write that is refused in a transaction leaves the others",
        "A body that catches the error commits what it wrote before and after."
    ) { trial in
        let store = try trial.makeStore()
        try store.transaction { transaction in
            try transaction.set(a, value: 1)
            try trial.expectError(
                .invalidKey,
                "set",
                of: {
                    try transaction.set(KVKey<Int>(""), value: 1)
                }
            )
            try trial.expectError(
                "the value's own error",
                of: {
                    try transaction.set(KVKey<Unencodable>("a"), value: Unencodable())
                }
            ) { $0 is Unencodable.Refusal }
            try transaction.set(b, value: 2)
        }
        try trial.expect(store.storedValues(), equals: ["a": 1, "b": 2], "the store")
    }

    package static let transactionSeesOwnWrites = steps(
        "a transaction sees its own writes",
        "Reads of every kind give what was set, removed and updated before in the body."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(a, value: 1)
        try store.set(b, value: 2)
        try store.transaction { transaction in
            try trial.expect(transaction.get(a), equals: 1, "a key not yet written")
            try transaction.set(a, value: 10)
            try trial.expect(transaction.get(a), equals: 10, "a key that was set")
            try transaction.remove(b)
            try trial.expect(transaction.get(b), equals: 0, "a key that was removed")
            try trial.expect(!transaction.contains(b), "a removed key not to be contained")
            try transaction.update(a) { $0 += 1 }
            try trial.expect(transaction.get(a), equals: 11, "a key that was updated")
            transaction[c] += 3
            try trial.expect(transaction.value(for: c), equals: 3, "a key changed in place")
            try trial.expect(
                transaction.storedValues(),
                equals: ["a": 11, "c": 3],
                "the listing"
            )
        }
        try trial.expect(store.storedValues(), equals: ["a": 11, "c": 3], "the store")
    }

    package static let changesShowAtTheEnd = steps(
        "a transaction's changes show only at its end, and all at once",
        "A read of the store inside the body, or on another thread, gives the old state."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(a, value: 1)
        let expectOld: @Sendable () throws -> Void = {
            try trial.expect(store.storedValues(), equals: ["a": 1], "the store meanwhile")
            try trial.expect(store.get(b), equals: 0, "a key set in the transaction")
        }
        try store.transaction { transaction in
            try transaction.set(a, value: 2)
            try transaction.set(b, value: 2)
            try expectOld()
            try trial.onAnotherThread(expectOld)
        }
        try trial.expect(store.storedValues(), equals: ["a": 2, "b": 2], "the store afterwards")
    }

    package static let nestedTransactionsUndoTheirOwn = steps(
        "a nested body that throws undoes its own changes alone",
        "Those of the outer body and of nested bodies that returned are committed."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(c, value: 1)
        let inner = try store.transaction { outer in
            try outer.set(a, value: 1)
            do {
                try outer.transaction { nested in
                    try nested.set(a, value: 2)
                    try nested.set(b, value: 2)
                    try nested.remove(c)
                    try trial.expect(nested.get(a), equals: 2, "a key in the nested body")
                    throw Refusal()
                }
            } catch is Refusal {}
            try trial.expect(outer.get(a), equals: 1, "a key after the nested body failed")
            try trial.expect(outer.get(c), equals: 1, "a removal that was undone")
            return try outer.transaction { nested in
                try nested.update(b) { $0 += 5 }
                return "result"
            }
        }
        try trial.expect(inner, equals: "result", "the result of the nested body")
        try trial.expect(store.storedValues(), equals: ["a": 1, "b": 5, "c": 1], "the store")
    }

    package static let endedTransactionIsRefused = steps(
        "a transaction that has ended is refused",
        "Reads and writes through it throw transactionEnded, whether it was committed or not."
    ) { trial in
        let store = try trial.makeStore()
        var leaked: [KVTransaction] = []
        try store.transaction { transaction in
            leaked.append(transaction)
            try transaction.set(a, value: 1)
        }
        do {
            try store.transaction { transaction in
                leaked.append(transaction)
                throw Refusal()
            }
        } catch is Refusal {}
        for transaction in leaked {
            let calls: [(String, () throws -> Void)] = [
                ("a read", { _ = try transaction.value(for: a) }),
                ("a listing", { _ = try transaction.keys() }),
                ("a write", { try transaction.set(a, value: 2) }),
                ("a removal", { try transaction.remove(a) }),
                ("an update", { try transaction.update(a) { $0 = 2 } }),
                ("a nested body", { try transaction.transaction { _ in } }),
            ]
            for (call, body) in calls { try trial.expectError(.transactionEnded, call, of: body) }
        }
        try trial.expect(store.storedValues(), equals: ["a": 1], "the store")
    }

    package static let nestedWriteIsRefused = steps(
        "a write to the store inside its own body is refused",
        "It throws nestedWrite and changes neither the store nor the transaction, which goes on."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(a, value: 1)
        try store.transaction { transaction in
            try transaction.set(b, value: 2)
            let writes: [(String, () throws -> Void)] = [
                ("set", { try store.set(a, value: 5) }),
                ("set of an absent key", { try store.set(c, value: 5) }),
                ("remove", { try store.remove(a) }),
                ("update", { try store.update(a) { $0 = 5 } }),
                ("removeAll", { try store.removeAll() }),
                ("transaction", { try store.transaction { try $0.set(a, value: 5) } }),
            ]
            for (call, write) in writes {
                try trial.expectError(.nestedWrite, "\(call) inside a body", of: write)
            }
            try trial.expect(store.storedValues(), equals: ["a": 1], "the store meanwhile")
            try trial.expect(
                transaction.storedValues(),
                equals: ["a": 1, "b": 2],
                "the transaction"
            )
        }
        try trial.expect(store.storedValues(), equals: ["a": 1, "b": 2], "the store afterwards")
        try store.set(a, value: 3)
        try trial.expect(store.get(a), equals: 3, "a write after the body has ended")
    }

    package static let transactionReturnsTheResult = steps(
        "a transaction returns what its body returned",
        "Also nil, values that cannot be sent, and of a body that only reads."
    ) { trial in
        final class Box { var value = 0 }
        let store = try trial.makeStore()
        let box = try store.transaction { transaction in
            try transaction.set(a, value: 4)
            let box = Box()
            box.value = transaction.get(a)
            return box
        }
        try trial.expect(box.value, equals: 4, "the result")
        let nothing: Int? = try store.transaction { $0.get(KVKey<Int>("absent")) }
        try trial.expect(nothing, equals: nil, "the result of a body that only reads")
        let doubled = try store.update(a) { value in
            value += 1
            return value * 2
        }
        try trial.expect(doubled, equals: 10, "the result of an update")
    }

    package static let updateChangesOneKey = steps(
        "update reads and writes one key as one step",
        "Its body gets the value or the default, and nil for an absent key; nil removes."
    ) { trial in
        let store = try trial.makeStore()
        let key = KVKey<String>("key")
        let optional = KVKey<String?>("key")
        try store.update(a) { $0 += 1 }
        try store.update(a) { $0 += 1 }
        try trial.expect(store.get(a), equals: 2, "an updated key")
        try store.update(key) { value in
            try trial.expect(value, equals: nil, "an absent key in an update")
            value = "x"
        }
        try store.update(optional) { $0 = ($0 ?? "") + "y" }
        try trial.expect(store.get(key), equals: "xy", "an updated key")
        try store.update(key) { $0 = nil }
        try trial.expect(store.storedValues(), equals: ["a": 2], "the store")
    }

    package static let conflictingBodyRunsAgain = steps(
        "a body runs again if what it read was changed",
        "Another thread can write while a body runs; the second run sees what it wrote."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(a, value: 1)
        try store.set(c, value: 100)
        var seen: [Int] = []
        let result = try store.transaction { transaction in
            let value = transaction.get(a)
            seen.append(value)
            if seen.count == 1 {
                try trial.onAnotherThread {
                    try store.set(a, value: 10)
                    try trial.expect(store.get(a), equals: 10, "what another thread wrote")
                }
                try trial.expect(transaction.get(a), equals: value, "a repeated read in a body")
            }
            try transaction.set(b, value: value + 1)
            return value
        }
        try trial.expect(seen.first, equals: 1, "what the first run of the body saw")
        try trial.expect(seen.last, equals: 10, "what the last run of the body saw")
        try trial.expect(result, equals: 10, "the result, which is the last run's,")
        try trial.expect(
            store.storedValues(),
            equals: ["a": 10, "b": 11, "c": 100],
            "the store"
        )
    }

    package static let conflictingListingRunsAgain = steps(
        "a body that listed the keys runs again if one was added",
        "So removeAll leaves nothing behind that was there when it was committed."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(a, value: 1)
        var runs = 0
        try store.transaction { transaction in
            runs += 1
            let names = try transaction.keys()
            if runs == 1 { try trial.onAnotherThread { try store.set(b, value: 2) } }
            for name in names { try transaction.setStoredValue(nil, for: name) }
        }
        try trial.expect(runs > 1, "the body to run again", found: "one run")
        try trial.expect(store.storedValues(), equals: [:], "the store")
    }

    package static let transactionReadsOneState = steps(
        "all reads of a body see one state",
        "What another thread commits between two reads, updates or listings is not half seen."
    ) { trial in
        typealias Body = (KVTransaction) throws -> Int
        let reads: [(String, Body)] = [
            ("get", { $0.get(a) }),
            (
                "a listing",
                { transaction in
                    guard case .integer(let value)? = try transaction.storedValues()["a"] else {
                        return -1
                    }
                    return Int(value)
                }
            ),
            ("an update", { try $0.update(a) { $0 } }),
            ("a nested body", { try $0.transaction { $0.get(a) } }),
        ]
        for (name, firstRead) in reads {
            let store = try trial.makeStore()
            try store.transaction { transaction in
                try transaction.set(a, value: 1)
                try transaction.set(b, value: 1)
            }
            var runs = 0
            try store.transaction { transaction in
                runs += 1
                let first = try firstRead(transaction)
                if runs == 1 {
                    try trial.onAnotherThread {
                        try store.transaction { other in
                            try other.set(a, value: 2)
                            try other.set(b, value: 2)
                        }
                    }
                }
                let second = transaction.get(b)
                let both = try transaction.storedValues()
                try trial.expect(second, equals: first, "a read after \(name)")
                try trial.expect(both["a"], equals: both["b"], "a listing after \(name)")
                try transaction.set(c, value: 1)
            }
        }
    }
}
