import Foundation
import KVStore
import TestSupport
import Testing

/// A tree and its form in a medium.
struct TaggedCase: Sendable, CustomTestStringConvertible {
    let tree: PropertyListValue
    let form: PropertyListValue

    init(_ tree: PropertyListValue, _ form: PropertyListValue) {
        self.tree = tree
        self.form = form
    }

    var testDescription: String { String(describing: form) }
}

@Suite("MediumTagging", .onOwnThreads) struct MediumTaggingTests {
    static func date(_ seconds: Double) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    static let linuxForms: [TaggedCase] = [
        TaggedCase(date(0.5), ["$date": "2001-01-01T00:00:00.5Z"]),
        TaggedCase(date(-0.1), ["$date": "2000-12-31T23:59:59.9Z"]),
        TaggedCase(date(-63_114_076_800), ["$date": -63_114_076_800.0]),
        TaggedCase(date(1e18), ["$date": 1e18]),
        TaggedCase(date(1e-10), ["$date": 1e-10]),
        TaggedCase(date(.nan), ["$date": "nan"]),
        TaggedCase(date(-.infinity), ["$date": "-inf"]),
        TaggedCase(.real(-0.0), ["$real": "-0.0"]),
        TaggedCase("\u{FEFF}x", ["$string": "\\ufeffx"]),
        TaggedCase("\u{FEFF}\u{FEFF}", ["$string": "\\ufeff\u{FEFF}"]),
        TaggedCase("a\u{1}\\", ["$string": "a\\u0001\\\\"]),
        TaggedCase("\u{FFFE}\u{FFFF}\u{0}\u{B}", ["$string": "\\ufffe\\uffff\\u0000\\u000b"]),
        TaggedCase(["CF$UID": 3], ["$dictionary": ["CF$UID", 3]]),
        TaggedCase(["CF$UID": "x"], ["$dictionary": ["CF$UID", "x"]]),
        TaggedCase(
            ["\u{FEFF}x": 1, "x": date(0.5)],
            [
                "$dictionary": [
                    "x", ["$date": "2001-01-01T00:00:00.5Z"], ["$string": "\\ufeffx"], 1,
                ]
            ]
        ),
        TaggedCase(["a\u{0}": [:]], ["$dictionary": [["$string": "a\\u0000"], [:]]]),
        TaggedCase(["$date": "x"], ["$dictionary": ["$date": "x"]]),
        TaggedCase(
            ["$dictionary": ["$date": "x"]],
            ["$dictionary": ["$dictionary": ["$dictionary": ["$date": "x"]]]]
        ),
        TaggedCase(
            ["$date": ["CF$UID": 1]],
            ["$dictionary": ["$date": ["$dictionary": ["CF$UID", 1]]]]
        ),
        TaggedCase([1, [["a": .real(-0.0)]]], [1, [["a": ["$real": "-0.0"]]]]),
    ]

    @Test("what an XML property list would change is tagged", arguments: linuxForms)
    func linux(pair: TaggedCase) throws {
        #expect(try MediumTagging.tagged(pair.tree, for: .linuxPropertyList) == pair.form)
        #expect(try MediumTagging.untagged(pair.form, badPayload: .fails) == pair.tree)
        #expect(try MediumTagging.untagged(pair.form, badPayload: .isPlain) == pair.tree)
    }

    static let untouched: [PropertyListValue] = [
        "x", "\\u0041", "a\u{FEFF}", "\r\n\t", "<&>", "é", .null, "$$null", 1, .integer(.min),
        .unsignedInteger(.max), 0.0, 0.1, .real(.nan), .real(-.infinity), true, .data(Data([1])),
        date(0), date(-63_113_904_000), date(252_423_993_599), [], [:], ["": 1], ["$foo": 1],
        ["$kv.x": 1], ["$\u{301}date": 1], ["$date": 1, "a": 2], ["CF$UID": 1, "a": 2],
        ["a": [["b": "c"]]],
    ]

    @Test("what an XML property list holds stays as it is", arguments: untouched)
    func linuxUntouched(value: PropertyListValue) throws {
        #expect(try MediumTagging.tagged(value, for: .linuxPropertyList) == value)
        #expect(try MediumTagging.untagged(value, badPayload: .fails) == value)
    }

    @Test("a property list on Apple platforms holds all but the names of tags")
    func darwin() throws {
        for value in Self.untouched + Self.linuxForms.map(\.tree) {
            let form = try MediumTagging.tagged(value, for: .darwinPropertyList)
            #expect(try MediumTagging.untagged(form, badPayload: .fails) == value)
            if case .dictionary = value { continue }
            #expect(form == value)
        }
        #expect(
            try MediumTagging.tagged(["$date": "2001-01-01T00:00:00Z"], for: .darwinPropertyList)
                == ["$dictionary": ["$date": "2001-01-01T00:00:00Z"]]
        )
    }

    static let badPayloads: [PropertyListValue] = [
        ["$date": "x"], ["$date": true], ["$date": .real(.nan)], ["$date": ["$date": 0.0]],
        ["$data": "QQ"], ["$data": .data(Data())], ["$real": 1.0], ["$real": "0.0"],
        ["$string": "\\x"], ["$string": ["a"]], ["$dictionary": 1], ["$dictionary": ["a"]],
        ["$dictionary": [1, 2]], ["$dictionary": ["a", 1, "a", 2]],
        ["$dictionary": [["$date": 0.0], 1]],
    ]

    @Test("a payload out of the grammar is an error or a plain dictionary", arguments: badPayloads)
    func badPayload(value: PropertyListValue) throws {
        guard case .dictionary(let only) = value, let tag = only.keys.first else { return }
        #expect(throws: MediumTagging.Failure.badPayload(tag: tag)) {
            try MediumTagging.untagged([value], badPayload: .fails)
        }
        let read = try MediumTagging.untagged([value], badPayload: .isPlain)
        guard case .array(let elements) = read, case .dictionary(let plain) = elements.first else {
            Issue.record("not a dictionary in an array")
            return
        }
        #expect(Array(plain.keys) == [tag])
    }

    @Test("bad payloads in bad payloads take no longer than their number")
    func nestedBadPayloads() throws {
        var value: PropertyListValue = 1
        for _ in 0..<64 { value = ["$dictionary": [value]] }
        #expect(try MediumTagging.untagged(value, badPayload: .isPlain) == value)
        #expect(throws: MediumTagging.Failure.badPayload(tag: "$dictionary")) {
            try MediumTagging.untagged(value, badPayload: .fails)
        }
        #expect(throws: MediumTagging.Failure.tooDeep) {
            try MediumTagging.untagged([value], badPayload: .isPlain)
        }
    }

    @Test("in the place of a key, an escaped dictionary is not a tagged string")
    func escapedKey() throws {
        let form: PropertyListValue = [
            "$dictionary": [["$dictionary": ["$string": "x"]], 1]
        ]
        #expect(throws: MediumTagging.Failure.badPayload(tag: "$dictionary")) {
            try MediumTagging.untagged(form, badPayload: .fails)
        }
        let text = #"{"$dictionary":[{"$dictionary":{"$string":"x"}},1]}"#
        #expect(throws: JSONSyntaxError.self) { try JSONText.value(from: Array(text.utf8)) }
    }

    @Test("every form that a reader takes or refuses, JSON text takes or refuses")
    func sameAcceptance() throws {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<Load.millions(0.3) {
            let form = Self.form(depth: 5, using: &random)
            let text = Array(Self.plainText(form).utf8)
            let read = try? MediumTagging.untagged(form, badPayload: .fails)
            try #require((try? JSONText.value(from: text)) == read, "\(Self.plainText(form))")
            _ = try MediumTagging.untagged(form, badPayload: .isPlain)
        }
    }

    /// A tree in which most dictionaries look like tags.
    private static func form(
        depth: Int,
        using random: inout SeededGenerator
    ) -> PropertyListValue {
        let tags = ["$date", "$data", "$real", "$string", "$dictionary", "$dictionary", "a", "$x"]
        let texts = ["nan", "-0.0", "QQ==", "2001-01-01T00:00:00Z", "\\ufeff", "x", "a"]
        let kind = Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &random)
        switch kind {
        case 0: return .integer(.random(in: 0...9, using: &random))
        case 1, 2: return .string(texts[Int.random(in: 0..<texts.count, using: &random)])
        case 3:
            let count = Int.random(in: 0..<5, using: &random)
            return .array((0..<count).map { _ in form(depth: depth - 1, using: &random) })
        default:
            let count = kind == 4 ? 2 : 1
            var values: [String: PropertyListValue] = [:]
            for _ in 0..<count {
                values[tags[Int.random(in: 0..<tags.count, using: &random)]] =
                    form(depth: depth - 1, using: &random)
            }
            return .dictionary(values)
        }
    }

    /// Prints a tree of integers, strings, arrays and dictionaries as it stands.
    private static func plainText(_ value: PropertyListValue) -> String {
        switch value {
        case .array(let elements): "[" + elements.map(plainText).joined(separator: ",") + "]"
        case .dictionary(let values):
            "{" + values.map { "\"\($0)\":" + plainText($1) }.joined(separator: ",") + "}"
        default: String(decoding: JSONText.compactText(of: value), as: UTF8.self)
        }
    }

    @Test("JSON text is the text of the tagged tree")
    func sameAsText() throws {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<Load.millions(0.1) {
            let tree = random.tree()
            let tagged = try MediumTagging.tagged(tree, for: .json)
            let text = JSONText.compactText(of: tree)
            // The root of a file is literal, so the tagged tree is printed as it stands.
            try #require(JSONText.text(of: ["k": tree]) == literalText(tagged))
            try #require(try MediumTagging.untagged(tagged, badPayload: .fails) == tree)
            try #require(try JSONText.value(from: text) == tree)
        }
    }

    /// Prints a tagged tree without tagging it again.
    private func literalText(_ value: PropertyListValue) -> [UInt8] {
        func print(_ value: PropertyListValue, _ indent: String, inline: Bool) -> String {
            switch value {
            case .array(let elements) where !elements.isEmpty:
                let lines = elements.map { indent + "  " + print($0, indent + "  ", inline: false) }
                return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
            case .dictionary(let values) where !values.isEmpty:
                if values.count == 1, let (key, payload) = values.first, MediumTagging.isTag(key),
                    key != "$dictionary", !inline
                {
                    return "{\"\(key)\": \(print(payload, indent, inline: false))}"
                }
                let keys = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                let lines = keys.map { key in
                    let text = String(
                        decoding: JSONText.compactText(of: .string(key + "x")),
                        as: UTF8.self
                    )
                    let name = text.dropLast(2) + "\""
                    return indent + "  " + name + ": "
                        + print(
                            values[key] ?? .null,
                            indent + "  ",
                            inline: keys == ["$dictionary"] && !inline
                        )
                }
                return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
            default: return String(decoding: JSONText.compactText(of: value), as: UTF8.self)
            }
        }
        return Array("{\n  \"k\": \(print(value, "  ", inline: false))\n}\n".utf8)
    }

    @Test("a random tree comes back from Foundation's XML property list")
    func xml() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<Load.millions(0.05) {
            let tree = random.tree()
            let form = try MediumTagging.tagged(tree, for: .linuxPropertyList)
            let data = try PropertyListXML.data(of: ["k": form])
            let read = try PropertyListXML.values(from: data)
            let back = try MediumTagging.untagged(try #require(read["k"]), badPayload: .fails)
            try #require(back == tree, "\(String(decoding: data, as: UTF8.self))")
        }
    }
}

/// Foundation's XML property lists as trees.
enum PropertyListXML {
    struct NotAPropertyList: Error {}

    static func data(of values: [String: PropertyListValue]) throws -> Data {
        try PropertyListSerialization.data(
            fromPropertyList: values.mapValues(object),
            format: .xml,
            options: 0
        )
    }

    static func values(from data: Data) throws -> [String: PropertyListValue] {
        // Sound: no format is asked for, so nothing is written through the pointer.
        let object = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
        guard case .dictionary(let values) = try value(object) else { throw NotAPropertyList() }
        return values
    }

    private static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .string(let value): value
        case .integer(let value): NSNumber(value: value)
        case .unsignedInteger(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .bool(let value): NSNumber(value: value)
        case .data(let value): value
        case .date(let value): value
        case .array(let value): value.map(object)
        case .dictionary(let value): value.mapValues(object)
        }
    }

    private static func value(_ object: Any) throws -> PropertyListValue {
        switch object {
        case let string as String: return .string(string)
        case let data as Data: return .data(data)
        case let date as Date: return .date(date)
        case let array as [Any]: return .array(try array.map(value))
        case let dictionary as [String: Any]: return .dictionary(try dictionary.mapValues(value))
        case let number as NSNumber:
            // Sound: the type is a constant string of one character.
            switch unsafe UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): return .bool(number.boolValue)
            case UInt8(ascii: "d"), UInt8(ascii: "f"): return .real(number.doubleValue)
            default:
                return number.int64Value < 0 && number.doubleValue > 0
                    ? .unsignedInteger(number.uint64Value) : .integer(number.int64Value)
            }
        default: throw NotAPropertyList()
        }
    }
}
