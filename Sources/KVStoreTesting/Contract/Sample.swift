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

    /// Checks that the samples are stored as their trees and read back equal.
    static func check(_ samples: [Sample], _ trial: Trial) throws {
        let store = try trial.makeStore()
        for (key, sample) in numbered(samples) {
            try sample.write(store, key)
            try sample.expectKept(as: key, in: store, trial)
        }
        // Again, now that each has neighbours; and from a listing.
        try expectKept(samples, in: store, trial)
    }

    /// Stores every sample.
    static func write(_ samples: [Sample], to store: any KVStoring) throws {
        for (key, sample) in numbered(samples) { try sample.write(store, key) }
    }

    /// Checks that a store holds the samples and nothing else.
    static func expectKept(_ samples: [Sample], in store: any KVStoring, _ trial: Trial) throws {
        for (key, sample) in numbered(samples) {
            try sample.expectKept(as: key, in: store, trial)
        }
        let all = try store.storedValues()
        for (key, sample) in numbered(samples) {
            try trial.expect(all[key], equals: sample.tree, "\(sample.name), as listed,")
        }
        try trial.expect(all.count, equals: samples.count, "the number of keys")
    }

    private func expectKept(
        as key: String,
        in store: any KVStoring,
        _ trial: Trial
    ) throws {
        try trial.expect(store.storedValue(for: key), equals: tree, "\(name), as stored,")
        try trial.expect(readsBack(store, key), "\(name) to read back equal")
    }

    /// Samples with plain keys, so that what is wrong with names does not show as wrong values.
    private static func numbered(_ samples: [Sample]) -> [(key: String, sample: Sample)] {
        samples.enumerated().map { ("sample \($0)", $1) }
    }
}
