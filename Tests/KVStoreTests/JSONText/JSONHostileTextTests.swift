import Foundation
import KVStore
import TestSupport
import Testing

@Suite("Hostile JSON text", .onOwnThreads) struct JSONHostileTextTests {
    /// A text with most of the grammar in it.
    static let valid = Array(
        """
        {"a": [1, -2.5e+3, true, false, null, "x\\u00e9\\ud83d\\ude00\\n é😀"],
         "$date": {"$date": "2001-01-01T00:00:00.5Z"}, "b": {"$dictionary": {"$date": {}}},
         "c": {"$data": "QQ=="}, "d": {"$dictionary": ["k", {"$string": "\\\\ufeff"}]},
         "e": {"$real": "-inf"}, "f": {}, "g": [], "h": {"$dictionary": 1, "x": {"$date": 5}}}
        """.utf8
    )

    /// Reads a text both ways; what is read must be written and read again unchanged.
    private func read(_ text: [UInt8]) throws {
        if let values = try? JSONText.values(from: text) {
            let rewritten = JSONText.text(of: values)
            try #require(try JSONText.values(from: rewritten) == values)
            try #require(try JSONText.text(of: JSONText.values(from: rewritten)) == rewritten)
        }
        if let value = try? JSONText.value(from: text) {
            let rewritten = JSONText.compactText(of: value)
            try #require(try JSONText.value(from: rewritten) == value)
        }
    }

    @Test("a text with any one byte changed is an error or a tree")
    func mutations() throws {
        _ = try JSONText.values(from: Self.valid)
        let replacements: [UInt8] =
            Load.isFull
            ? Array(0...255) : Array("\"\\{}[],:0e.-$u\u{0}\u{7F}".utf8) + [0x80, 0xC0, 0xFF]
        for index in Self.valid.indices {
            var text = Self.valid
            for byte in replacements {
                text[index] = byte
                try read(text)
            }
        }
    }

    @Test("a text cut short, with a byte removed or doubled is an error or a tree")
    func truncations() throws {
        for index in Self.valid.indices {
            try read(Array(Self.valid[..<index]))
            try read(Array(Self.valid[index...]))
            var text = Self.valid
            text.insert(text[index], at: index)
            try read(text)
            text.removeSubrange(index...index + 1)
            try read(text)
        }
    }

    @Test("random pieces of JSON are an error or a tree")
    func pieces() throws {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"b\":", "\"$date\":",
            "\"$dictionary\":",
            "{\"$dictionary\":", "{\"$real\":\"nan\"}", "{\"$date\":0}", "{\"$dictionary\":{", "}}",
            "null",
            "true", "1", "-", "0", ".5", "e9", "1e400", "\\u", "d800", " ", "\n", "\u{FEFF}", "é",
        ].map { Array($0.utf8) }
        var random = SeededGenerator(seed: 2)
        for _ in 0..<Load.millions(1) {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 1..<14, using: &random) {
                text += pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            if Int.random(in: 0..<20, using: &random) == 0 {
                text[Int.random(in: 0..<text.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            try read(text)
        }
    }

    @Test("a random tree comes back from its text, and its text is always the same")
    func randomTrees() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<Load.millions(0.3) {
            let tree = random.tree()
            let text = JSONText.compactText(of: tree)
            let read = try JSONText.value(from: text)
            try #require(read == tree)
            try #require(JSONText.compactText(of: read) == text)
            guard case .dictionary(let values) = tree,
                values.keys.allSatisfy({ KeyName.isValid($0) })
            else { continue }
            let file = JSONText.text(of: values)
            try #require(try JSONText.values(from: file) == values)
            try #require(try JSONText.text(of: JSONText.values(from: file)) == file)
        }
    }

    @Test("no real of a million is altered by its text")
    func randomReals() throws {
        var random = SeededGenerator(seed: 4)
        for index in 0..<Load.millions(1) {
            let real =
                index.isMultiple(of: 4)
                ? Double(Int64.random(in: -1_000_000...1_000_000, using: &random)) / 1000
                : Double(bitPattern: random.next())
            let read = try JSONText.value(from: JSONText.compactText(of: .real(real)))
            try #require(read == .real(real))
        }
    }

    @Test("a decimal of any length is read as the standard library reads it")
    func randomDecimals() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<Load.millions(1) {
            var text = Bool.random(using: &random) ? "-" : ""
            text += "\(random.next() >> UInt64.random(in: 0..<64, using: &random))"
            text += "."
            for _ in 0...Int.random(in: 0..<12, using: &random) {
                text += "\(Int.random(in: 0...9, using: &random))"
            }
            if Bool.random(using: &random) {
                text += "e\(Int.random(in: -330...300, using: &random))"
            }
            guard let expected = Double(text), expected.isFinite else { continue }
            try #require(try JSONText.value(from: Array(text.utf8)) == .real(expected), "\(text)")
        }
    }

    @Test("numbers of a million digits are read")
    func longNumbers() throws {
        let digits = [UInt8](repeating: UInt8(ascii: "1"), count: 1_000_000)
        #expect(throws: JSONSyntaxError.self) { try JSONText.value(from: digits) }
        #expect(try JSONText.value(from: Array("0.".utf8) + digits) == .real(1.0 / 9))
        let tiny = Array("1e-".utf8) + digits
        #expect(try JSONText.value(from: tiny) == 0.0)
    }

    @Test("keys that would hash for minutes are refused at once", arguments: [64_000, 1_000_000])
    func combiningMarks(count: Int) {
        let key = "a" + String(repeating: "\u{301}", count: count)
        let keys = "\"\(key)\":1,\"\(key)\":2"
        let pairs = "[\"\(key)\",1,\"\(key)\",2]"
        for text in ["{\(keys)}", "{\"x\":{\(keys)}}", "{\"x\":{\"$dictionary\":\(pairs)}}"] {
            let bytes = Array(text.utf8)
            var error: JSONSyntaxError?
            let time = processorTime {
                do throws(JSONSyntaxError) { _ = try JSONText.values(from: bytes) } catch let caught
                {
                    error = caught
                }
            }
            #expect(error != nil)
            // Hashing takes a second and more; a debug build scans a byte in some 20 ns.
            #expect(time < .milliseconds(count > 64_000 ? 900 : 100))
        }
        let value = "{\"x\":\"\(key)\"}"
        #expect((try? JSONText.values(from: Array(value.utf8))) != nil)
    }

    @Test("what is too deep is refused at the bracket that is too much")
    func depthPlace() {
        let deep = Array(String(repeating: "[", count: 1_000_000).utf8)
        let text = Array("{\"a\":".utf8) + deep
        let rule = "at most 128 levels of nesting"
        #expect(throws: JSONSyntaxError(line: 1, column: 263, expected: rule)) {
            try JSONText.values(from: text)
        }
        #expect(throws: JSONSyntaxError(line: 1, column: 258, expected: rule)) {
            try JSONText.value(from: deep)
        }
        let closed = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
        #expect(throws: JSONSyntaxError(line: 2, column: 133, expected: rule)) {
            try JSONText.values(from: Array("{\n\"a\":\(closed)}".utf8))
        }
        #expect(throws: JSONSyntaxError(line: 1, column: 129, expected: rule)) {
            try JSONText.value(from: Array(closed.utf8))
        }
    }
}

@Suite("Depth of stored trees", .onOwnThreads) struct StoredTreeDepthTests {
    /// Wraps a value in arrays or in dictionaries with a key.
    static func nested(
        _ depth: Int,
        key: String?,
        around core: PropertyListValue = .integer(1)
    ) -> PropertyListValue {
        var value = core
        for _ in 0..<depth { value = key.map { [$0: value] } ?? [value] }
        return value
    }

    static let keys: [String?] = [nil, "a", "$date", "$dictionary", "CF$UID", "\u{FEFF}"]

    @Test("128 levels are read and 129 refused on a small stack", arguments: keys)
    func limits(key: String?) async throws {
        try await onSmallStack {
            for core in [1, .date(Date(timeIntervalSinceReferenceDate: 0.5)), .real(.nan)]
                as [PropertyListValue]
            {
                let tree = Self.nested(128, key: key, around: core)
                let values = ["a": tree]
                #expect(try JSONText.value(from: JSONText.compactText(of: tree)) == tree)
                #expect(try JSONText.values(from: JSONText.text(of: values)) == values)
                for medium in [Medium.json, .linuxPropertyList, .darwinPropertyList] {
                    let tagged = try MediumTagging.tagged(tree, for: medium)
                    #expect(try MediumTagging.untagged(tagged, badPayload: .fails) == tree)
                }
                let deep = Self.nested(129, key: key, around: core)
                #expect(throws: JSONSyntaxError.self) {
                    try JSONText.value(from: JSONText.compactText(of: deep))
                }
                #expect(throws: JSONSyntaxError.self) {
                    try JSONText.values(from: JSONText.text(of: ["a": deep]))
                }
                #expect(throws: MediumTagging.Failure.tooDeep) {
                    try MediumTagging.tagged(deep, for: .linuxPropertyList)
                }
            }
        }
    }

    @Test("a record may wrap a value of full depth")
    func records() throws {
        let record = Self.nested(130, key: nil)
        let text = JSONText.compactText(of: record)
        #expect(try JSONText.value(from: text, maximumDepth: 130) == record)
        #expect(throws: JSONSyntaxError.self) { try JSONText.value(from: text, maximumDepth: 129) }
    }

    @Test(
        "a million brackets are refused on a small stack",
        arguments: ["[", "{\"a\":", "{\"$dictionary\":", "[{\"$date\":"]
    )
    func millions(bracket: String) async throws {
        try await onSmallStack {
            let text = Array(String(repeating: bracket, count: 1_000_000).utf8)
            #expect(throws: JSONSyntaxError.self) { try JSONText.value(from: text) }
            #expect(throws: JSONSyntaxError.self) {
                try JSONText.values(from: Array("{\"a\":".utf8) + text)
            }
        }
    }

    @Test("a tree beyond every limit is written and tagged without recursion")
    func writing() async throws {
        try await onSmallStack {
            let tree = Self.nested(1000, key: nil)
            #expect(JSONText.compactText(of: tree).count == 2001)
            #expect(throws: MediumTagging.Failure.tooDeep) {
                try MediumTagging.tagged(tree, for: .json)
            }
            #expect(throws: MediumTagging.Failure.tooDeep) {
                try MediumTagging.untagged(tree, badPayload: .isPlain)
            }
        }
    }
}
