import KVStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KVContractRule {
    static let valueRules: [KVContractRule] = [
        readingCreatesNothing, defaultsAreNotWritten, undecodableIsToldFromAbsent,
        undecodableSurvivesUpdates, undecodableSurvivesChangesInPlace, failedSubscriptsReport,
        failedEncodingKeepsTheOldValue, tooDeepIsRefused, largeValuesAreKept,
        overwritingReplacesTheWholeValue,
    ]

    package static let readingCreatesNothing = steps(
        "reading creates no key",
        "No kind of read of an absent key stores anything."
    ) { trial in
        let store = try trial.makeStore()
        try trial.expect(store.storedValues(), equals: [:], "a new store")
        let key = KVKey<String>("absent")
        let counter = KVDefaultKey("absent", default: 7)
        try trial.expect(store.get(key), equals: nil, "an absent key")
        try trial.expect(store.value(for: key), equals: nil, "an absent key, read strictly,")
        try trial.expect(store.get(counter), equals: 7, "an absent key with a default")
        try trial.expect(store[counter], equals: 7, "an absent key with a default")
        try trial.expect(!store.contains(key), "an absent key not to be contained")
        try store.transaction { transaction in
            try trial.expect(transaction.get(counter), equals: 7, "an absent key in a transaction")
        }
        try trial.expect(store.storedValues(), equals: [:], "a store that was only read")
        try trial.expect(store.keys(), equals: [], "the keys of a store that was only read")
    }

    package static let defaultsAreNotWritten = steps(
        "a default is stored only when it is set",
        "A set default is a value like any other and stays when the default changes."
    ) { trial in
        let store = try trial.makeStore()
        let old = KVDefaultKey("size", default: 12)
        _ = store.get(old)
        try trial.expect(store.contains(old), equals: false, "whether a read default is contained")
        try store.set(old, value: 12)
        let new = KVDefaultKey("size", default: 14)
        try trial.expect(store.get(new), equals: 12, "a value that was the default when set")
        try store.remove(old)
        try trial.expect(store.get(new), equals: 14, "a removed key with a default")
    }

    package static let undecodableIsToldFromAbsent = steps(
        "what cannot be read is told from what is absent",
        "get falls back for both; value(for:) throws DecodingError for the first alone."
    ) { trial in
        let store = try trial.makeStore()
        try store.setStoredValue(["a": ["not": "a number"]], for: "key")
        let key = KVKey<[String: Int]>("key")
        let defaulted = KVDefaultKey("key", default: ["d": 1])
        try trial.expect(store.get(key), equals: nil, "an undecodable value")
        try trial.expect(store.get(defaulted), equals: ["d": 1], "an undecodable value")
        try trial.expect(store.contains(key), "an undecodable value to be contained")
        for read in [{ _ = try store.value(for: key) }, { _ = try store.value(for: defaulted) }] {
            try trial.expectError("a DecodingError with a coding path", of: read) { error in
                switch error as? DecodingError {
                case .typeMismatch(_, let context), .valueNotFound(_, let context),
                    .keyNotFound(_, let context), .dataCorrupted(let context):
                    context.codingPath.map(\.stringValue) == ["a"]
                default: false
                }
            }
        }
        try trial.expect(
            store.storedValue(for: "key"),
            equals: ["a": ["not": "a number"]],
            "an undecodable value that was read"
        )
        try trial.expect(store.value(for: KVKey<Int>("other")), equals: nil, "an absent key")
    }

    package static let undecodableSurvivesUpdates = steps(
        "update does not replace what it cannot read",
        "It throws before its body runs and leaves the stored value; its neighbours' saves do too."
    ) { trial in
        let store = try trial.makeStore()
        try store.setStoredValue("not a number", for: "count")
        let count = KVDefaultKey("count", default: 0)
        try trial.expectError(
            "update to throw a DecodingError",
            of: { try store.update(count) { $0 += 1 } }
        ) {
            $0 is DecodingError
        }
        try store.set(KVKey<Int>("neighbour"), value: 1)
        try store.transaction { try $0.set(KVKey<Int>("neighbour"), value: 2) }
        try trial.expect(
            store.storedValue(for: "count"),
            equals: "not a number",
            "an undecodable value after an update"
        )
        try store.set(count, value: 3)
        try trial.expect(store.get(count), equals: 3, "a value set over an undecodable one")
    }

    package static let undecodableSurvivesChangesInPlace = steps(
        "a change in place does not replace what it cannot read",
        "It writes nothing and hands the error to the handler."
    ) { trial in
        let store = try trial.makeStore()
        let count = KVDefaultKey("count", default: 0)
        let list = KVKey<[Int]>("list")
        for name in [count.name, list.name] {
            try store.setStoredValue("not readable", for: name)
        }
        let errors = trial.reportedErrors {
            store[count] += 1
            store[list]?.append(1)
            store[list] = store[list]
        }
        // The last is a plain assignment of nil, which is the owner's own removal.
        try trial.expect(errors.count, equals: 2, "the number of reported errors")
        try trial.expect(
            store.storedValue(for: count.name),
            equals: "not readable",
            "an undecodable value after a change in place"
        )
        try trial.expect(store.storedValue(for: list.name), equals: nil, "a key assigned nil")
    }

    package static let failedSubscriptsReport = steps(
        "a subscript that cannot write reports and changes nothing",
        "The error goes to the handler, once for each failed write."
    ) { trial in
        let store = try trial.makeStore()
        let errors = trial.reportedErrors {
            store[KVKey<Int>("")] = 1
            store[KVDefaultKey("\u{FEFF}x", default: 1)] += 1
        }
        try trial.expect(
            errors.map { ($0 as? KVStoreError)?.code },
            equals: [.invalidKey, .invalidKey],
            "the reported codes"
        )
        try trial.expect(store.storedValues(), equals: [:], "the store")
    }

    package static let failedEncodingKeepsTheOldValue = steps(
        "a value that cannot be encoded leaves the old one",
        "The error of the value's own encode(to:) reaches the caller; nothing is half written."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(KVKey<Int>("key"), value: 1)
        try trial.expectError(
            "the value's own error",
            of: {
                try store.set(KVKey<Unencodable>("key"), value: Unencodable())
            }
        ) { $0 is Unencodable.Refusal }
        try trial.expectError(
            "the value's own error",
            of: {
                try store.transaction { transaction in
                    try transaction.set(KVKey<Int>("other"), value: 2)
                    try transaction.remove(KVKey<Int>("key"))
                    try transaction.set(KVKey<Unencodable>("third"), value: Unencodable())
                }
            }
        ) { $0 is Unencodable.Refusal }
        try trial.expect(store.storedValues(), equals: ["key": 1], "the store")
    }

    package static let tooDeepIsRefused = steps(
        "values deeper than 128 levels are refused, and 128 levels are kept",
        "The refusal is an EncodingError and leaves the old value, in a transaction too."
    ) { trial in
        let store = try trial.makeStore()
        try store.setStoredValue(nested(128), for: "deep")
        try trial.expect(
            store.storedValue(for: "deep"),
            equals: nested(128),
            "a value of 128 levels"
        )
        try trial.expectError(
            "an EncodingError",
            of: {
                try store.setStoredValue(nested(129), for: "deep")
            }
        ) { $0 is EncodingError }
        try trial.expectError(
            "an EncodingError",
            of: {
                try store.transaction { try $0.setStoredValue(nested(20_000 / 100), for: "deep") }
            }
        ) { $0 is EncodingError }
        try trial.expectError(
            "an EncodingError",
            of: {
                try store.set(KVKey<Chain>("deep"), value: Chain(length: 200))
            }
        ) { $0 is EncodingError }
        try trial.expect(
            store.storedValue(for: "deep"),
            equals: nested(128),
            "the value after refusals"
        )
    }

    package static let largeValuesAreKept = steps(
        "large values are kept",
        "A megabyte of text and of bytes, and ten thousand elements."
    ) { trial in
        let store = try trial.makeStore()
        let text = String(repeating: "é0123456789", count: 100_000)
        var bytes = Data(0...255)
        while bytes.count < 1_000_000 { bytes += bytes }
        let list = Array(0..<10_000)
        try store.set(KVKey<String>("text"), value: text)
        try store.set(KVKey<Data>("bytes"), value: bytes)
        try store.set(KVKey<[Int]>("list"), value: list)
        try trial.expect(store.get(KVKey<String>("text")) == text, "a megabyte of text")
        try trial.expect(store.get(KVKey<Data>("bytes")) == bytes, "a megabyte of bytes")
        try trial.expect(store.get(KVKey<[Int]>("list")) == list, "ten thousand elements")
    }

    package static let overwritingReplacesTheWholeValue = steps(
        "writing replaces the whole value, of whatever kind it was",
        "Nothing of an old dictionary is merged into a new one, and kinds may change."
    ) { trial in
        let store = try trial.makeStore()
        let trees: [PropertyListValue] = [
            ["a": 1, "b": 2], ["a": 3], [1, 2], 1, 1.0, true, "1", .data(Data([1])), [:], 0,
            false, 0.0, .real(-0.0),
        ]
        for tree in trees {
            try store.setStoredValue(tree, for: "key")
            try trial.expect(store.storedValue(for: "key"), equals: tree, "an overwritten value")
        }
    }

    private static func nested(_ depth: Int) -> PropertyListValue {
        (1..<depth).reduce([]) { tree, level in
            level.isMultiple(of: 2) ? [tree] : ["x": tree]
        }
    }
}

extension Trial {
    /// Returns the errors that writes in a body, which cannot throw, handed to the handler.
    func reportedErrors(_ body: () -> Void) -> [any Error] {
        let errors = Reports()
        KVStoreError.withHandler({ error in errors.list.withLock { $0.append(error) } }) {
            body()
        }
        return errors.list.withLock { $0 }
    }

    private final class Reports: Sendable {
        let list = Mutex<[any Error]>([])
    }
}

/// A value whose encoding fails.
struct Unencodable: Codable, Sendable {
    struct Refusal: Error {}

    init() {}

    init(from decoder: any Decoder) throws {
        throw Refusal()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("half", forKey: .half)
        throw Refusal()
    }

    private enum CodingKeys: CodingKey { case half }
}

/// A value of any depth.
private final class Chain: Codable, Sendable {
    let next: Chain?

    init(length: Int) {
        next = length > 1 ? Chain(length: length - 1) : nil
    }
}
