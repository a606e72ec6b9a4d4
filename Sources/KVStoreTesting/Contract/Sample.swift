import KVStore

/// A value with the tree it must be stored as, of a type that is forgotten.
struct Sample: Sendable {
    let name: String
    let tree: PropertyListValue
    private let write: @Sendable (any KVStoring, _ name: String) throws -> Void
    private let readsBack: @Sendable (any KVStoring, _ name: String) throws -> Bool

    init<Value: Codable & Sendable>(
        _ name: String,
        _ value: Value,
        _ tree: PropertyListValue,
        isSame: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.name = name
        self.tree = tree
        write = { try $0.set(KVKey<Value>($1), value: value) }
        readsBack = { store, name in
            guard let found = try store.value(for: KVKey<Value>(name)) else { return false }
            return isSame(found, value)
        }
    }

    init<Value: Codable & Sendable & Equatable>(
        _ name: String,
        _ value: Value,
        _ tree: PropertyListValue
    ) {
        self.init(name, value, tree, isSame: ==)
    }

    /// A string, which is the same if its UTF-8 is.
    static func string(
        _ name: String,
        _ value: String,
        stored: String? = nil
    ) -> Sample {
        Sample(name, value, .string(stored ?? value)) { Array($0.utf8) == Array($1.utf8) }
    }

    /// A real, which is the same if its bits are.
    static func real(_ value: Double) -> Sample {
        Sample("\(value)", value, .real(value)) {
            $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN
        }
    }

    /// Checks that the samples are stored as their trees and read back equal, each under its name.
    static func check(_ samples: [Sample], _ trial: Trial) throws {
        let store = try trial.makeStore()
        for sample in samples {
            try sample.write(store, sample.name)
            try sample.expectKept(in: store, trial)
        }
        // Again, now that each has neighbours; and from a listing.
        try expectKept(samples, in: store, trial)
    }

    /// Stores every sample under its name.
    static func write(_ samples: [Sample], to store: any KVStoring) throws {
        for sample in samples { try sample.write(store, sample.name) }
    }

    /// Checks that a store holds the samples and nothing else.
    static func expectKept(_ samples: [Sample], in store: any KVStoring, _ trial: Trial) throws {
        for sample in samples { try sample.expectKept(in: store, trial) }
        let all = try store.storedValues()
        for sample in samples {
            try trial.expect(all[sample.name], equals: sample.tree, "\(sample.name), as listed,")
        }
        try trial.expect(Set(all.keys), equals: Set(samples.map(\.name)), "the keys")
    }

    private func expectKept(in store: any KVStoring, _ trial: Trial) throws {
        try trial.expect(
            store.storedValue(for: name),
            equals: tree,
            "\(name), as stored,"
        )
        try trial.expect(readsBack(store, name), "\(name) to read back equal")
    }
}
