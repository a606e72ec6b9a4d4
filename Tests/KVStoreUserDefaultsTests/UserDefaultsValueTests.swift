import Foundation
import KVStore
import TestSupport
import Testing

@Suite("UserDefaultsKVStore: values", .onOwnThreads)
struct UserDefaultsValueTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test
    func valuesAreEqualAtOnceAndAfterReopening() throws {
        let writer = try sandbox.start()
        for (index, entry) in Battery.values.enumerated() {
            let key = PropertyListValue.string("value\(index)")
            // As text, because a command around the value would nest too deeply.
            let text = PropertyListValue.string(entry.value.jsonText)
            let set = try writer.send(["setText", "suite", key, text])
            #expect(set == [], "\(entry.name)")
            let get = try writer.send(["getText", "suite", key])
            #expect(get == [text], "\(entry.name)")
        }
        writer.end()
        let reader = try sandbox.start()
        for (index, entry) in Battery.values.enumerated() {
            let get = try reader.send(["getText", "suite", .string("value\(index)")])
            #expect(get == [.string(entry.value.jsonText)], "\(entry.name)")
            #expect(try PropertyListValue(jsonText: entry.value.jsonText) == entry.value)
        }
        let all = try reader.send(["allTexts", "suite"])
        let texts = Battery.values.enumerated().map { index, entry in
            ("value\(index)", PropertyListValue.string(entry.value.jsonText))
        }
        #expect(all == [.dictionary(Dictionary(texts, uniquingKeysWith: { $1 }))])
    }

    @Test
    func hostileKeysAreKeptApart() throws {
        let writer = try sandbox.start()
        for (index, key) in Battery.keys.enumerated() {
            try writer.send(["set", "suite", .string(key), .integer(Int64(index))])
        }
        writer.end()
        let reader = try sandbox.start()
        for (index, key) in Battery.keys.enumerated() {
            let get = try reader.send(["get", "suite", .string(key)])
            #expect(get == [.integer(Int64(index))], "\(key.prefix(20))")
        }
        let expected =
            Dictionary(
                uniqueKeysWithValues: Battery.keys.enumerated().map { ($1, .integer(Int64($0))) }
            ) as [String: PropertyListValue]
        #expect(try reader.send(["all", "suite"]) == [.dictionary(expected)])
    }

    @Test
    func spellingsOfAKeyAreOneKey() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "caf\u{E9}", 1])
        try process.send(["set", "suite", "cafe\u{301}", 2])
        #expect(try process.send(["get", "suite", "caf\u{E9}"]) == [2])
        guard case .array(let all) = try process.send(["all", "suite"]),
            case .dictionary(let values) = all.first
        else {
            Issue.record("no values")
            return
        }
        #expect(values.keys.map { Array($0.utf8) } == [Array("caf\u{E9}".utf8)])
        process.end()
        #expect(try sandbox.run(["get", "suite", "cafe\u{301}"]) == [[2]])
    }

    @Test
    func keyThatOtherCodeStoredDecomposedIsFoundAndReplaced() throws {
        try sandbox.run(["rawSet", "suite", "cafe\u{301}", "raw"], ["rawSync", "suite"])
        let process = try sandbox.start()
        #expect(try process.send(["get", "suite", "caf\u{E9}"]) == ["raw"])
        #expect(try process.send(["all", "suite"]) == [["caf\u{E9}": "raw"]])
        try process.send(["set", "suite", "caf\u{E9}", "ours"])
        #expect(try process.send(["all", "suite"]) == [["caf\u{E9}": "ours"]])
        try process.send(["remove", "suite", "caf\u{E9}"])
        #expect(try process.send(["get", "suite", "caf\u{E9}"]) == [])
        process.end()
        #expect(try sandbox.run(["all", "suite"]) == [[[:]]])
    }

    private static let replacements: [(old: PropertyListValue, new: PropertyListValue)] = [
        (1, 1.0), (1.0, 1), (1, true), (true, 1), (0.0, -0.0), (-0.0, 0.0), ([1], [1.0]),
        (["a": 1], ["a": 1.0]), ("caf\u{E9}", "cafe\u{301}"), ("cafe\u{301}", "caf\u{E9}"),
        (["caf\u{E9}"], ["cafe\u{301}"]), (["a": [true]], ["a": [1]]),
    ]

    @Test(arguments: replacements)
    func valueOfAnotherKindReplacesAnEqualOne(old: PropertyListValue, new: PropertyListValue) throws
    {
        let process = try sandbox.start()
        try process.send(["set", "suite", "key", old])
        try process.send(["set", "suite", "key", new])
        #expect(try process.send(["get", "suite", "key"]) == [new])
        process.end()
        #expect(try sandbox.run(["get", "suite", "key"]) == [[new]])
    }

    @Test
    func rawValuesOfEveryKindAreRead() throws {
        let values: PropertyListValue = [
            "text", 1, 1.5, true, .data(Data([1, 2])),
            .date(Date(timeIntervalSinceReferenceDate: 5)),
            ["a": [1, 2.0, false]], [], .integer(.max), .unsignedInteger(.max),
        ]
        let process = try sandbox.start()
        try process.send(["rawSet", "suite", "raw", values])
        #expect(try process.send(["get", "suite", "raw"]) == [values])
        try process.send(["rawSync", "suite"])
        #expect(try process.send(["get", "suite", "raw"]) == [values])
        process.end()
        #expect(try sandbox.run(["get", "suite", "raw"]) == [[values]])
    }

    @Test
    func tooDeepAndIllegalIsRefusedAndChangesNothing() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "key", 1])
        for key in ["", "\u{FEFF}x", "a\u{0}b", "\u{1}", String(repeating: "k", count: 4097)] {
            let answer = try process.send(["set", "suite", .string(key), 1])
            #expect(code(answer) == "invalidKey")
            #expect(try process.send(["get", "suite", .string(key)]) == [])
        }
        #expect(try process.send(["all", "suite"]) == [["key": 1]])
    }

    @Test
    func valuesThatWouldEndTheProcessOrTheDomainAreStored() throws {
        // Raw UserDefaults loses every key of the suite to either of these.
        let process = try sandbox.start()
        try process.send(["set", "suite", "witness", 1])
        try process.send([
            "set", "suite", "date", .date(Date(timeIntervalSinceReferenceDate: .nan)),
        ])
        try process.send(["set", "suite", "reference", ["CF$UID": 3]])
        process.end()
        #expect(
            try sandbox.run(["get", "suite", "witness"], ["get", "suite", "reference"])
                == [[1], [["CF$UID": 3]]]
        )
    }
}

/// The code of the error that an answer tells.
func code(_ answer: PropertyListValue) -> String? {
    guard case .dictionary(let error) = answer, case .string(let code)? = error["error"] else {
        return nil
    }
    return code
}
