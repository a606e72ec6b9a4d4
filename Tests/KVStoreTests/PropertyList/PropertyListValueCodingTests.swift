import KVStore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private let null: PropertyListValue = "$null"

@Suite("PropertyListValue coding")
struct PropertyListValueCodingTests {
    @Test(
        "Nulls keep their place, and strings that look like them stay strings",
        arguments: [
            .stored(1, "$null", "$null", "$$null"),
            .stored(2, "$$null", "$$null", "$$$null"),
            .stored(3, "$null and a space", "$null ", "$null "),
            .stored(3, "$nullx", "$nullx", "$nullx"),
            .stored(3, "x$null", "x$null", "x$null"),
            .stored(3, "$", "$", "$"),
            .stored(3, "null", "null", "null"),
            .stored(4, "nil in an array", [1, nil, 3] as [Int?], [1, "$null", 3]),
            .unreadable(4, "nil where none may be", [1, "$null", 3], as: [Int].self, at: "1"),
            .stored(5, "$null beside nil", ["$null", nil] as [String?], ["$$null", "$null"]),
            .unreadable(6, "null as String", null, as: String.self),
            .unreadable(6, "null as Int", null, as: Int.self),
            .unreadable(6, "null as a struct", null, as: Point.self),
            .unreadable(6, "null as an array", null, as: [Int].self),
            .unreadable(6, "null as URL", null, as: URL.self),
            .read(6, "null as an optional", null, Int?.none),
            .stored(6, "nil at the top", String?.none, null),
            .stored(7, "nil of a generic property", Box<Int?>(v: nil), ["v": "$null"]),
            .stored(8, "nil in a dictionary", ["a": nil] as [String: Int?], ["a": "$null"]),
            .stored(9, "optional properties", Optionals(), [:]),
            .read(9, "null properties", ["x": "$null", "y": "$null"], Optionals()),
            .written(10, "nested optionals", [.some(nil), nil] as [Int??], ["$null", "$null"]),
            .read(10, "nested optionals", ["$null", "$null"], [nil, nil] as [Int??]),
            .stored(11, "URL $null", url("$null"), "$$null"),
            .stored(12, "raw value $null", NullRaw.null, "$$null"),
            .stored(12, "raw value $null as a key", [NullRaw.null: 1], ["$null": 1]),
            .stored(12, "key $null", ["$null": 1], ["$null": 1]),
            .stored(84, "$null in an array", ["$null"], ["$$null"]),
            .stored(84, "$null in an array inside", Box(v: ["$null"]), ["v": ["$$null"]]),
            .stored(84, "$null as a property", Optionals(y: "$null"), ["y": "$$null"]),
        ] as [ShapeCase]
    )
    func nulls(_ row: ShapeCase) throws { try row.check() }

    @Test(
        "Dictionaries that look like tags are dictionaries",
        arguments: [
            .stored(13, "$date and a string", ["$date": "x"], ["$date": "x"]),
            .stored(14, "$date and a date", ["$date": day(0)], ["$date": .date(day(0))]),
            .stored(
                15,
                "$dictionary",
                ["$dictionary": ["$date": "x"]],
                ["$dictionary": ["$date": "x"]]
            ),
            .stored(16, "two keys", ["$date": "x", "a": "y"], ["$date": "x", "a": "y"]),
            .stored(17, "another name", ["$foo": 1], ["$foo": 1]),
            .refused(18, "a reserved name", ["$kv.a": 1], at: "$kv.a"),
            .refused(18, "a reserved name inside", ["a": [["$kv.b": 1]]], at: "a/0/$kv.b"),
            .refused(18, "a reserved raw value", [MyID(rawValue: "$kv.a"): 1], at: "$kv.a"),
            .stored(18, "two reserved names", ["$kv.a": 1, "b": 2], ["$kv.a": 1, "b": 2]),
            .read(18, "a reserved name", ["$kv.a": 1], ["$kv.a": 1]),
            .stored(21, "a property $data", DataTag(data: "x"), ["$data": "x"]),
            .stored(22, "$ and a combining mark", ["$\u{301}x": 1], ["$\u{301}x": 1]),
            .stored(23, "CF$UID", ["CF$UID": 3], ["CF$UID": 3]),
            .stored(24, "a byte order mark", ["\u{feff}x": 1, "x": 2], ["\u{feff}x": 1, "x": 2]),
            .stored(25, "a byte order mark", "\u{feff}x", "\u{feff}x"),
            .stored(26, "a control character", "a\u{1}\\", "a\u{1}\\"),
            .stored(78, "NUL", ["a\0b": "a\0b"], ["a\0b": "a\0b"]),
        ] as [ShapeCase]
    )
    func tags(_ row: ShapeCase) throws { try row.check() }

    @Test(
        "Dates keep their bits",
        arguments: [
            .stored(27, "half a second", day(0.5), .date(day(0.5))),
            .stored(28, "before 2001", day(-0.1), .date(day(-0.1))),
            .stored(30, "distant past", Date.distantPast, .date(.distantPast)),
            .stored(31, "distant future", [Date.distantFuture], [.date(.distantFuture)]),
            .stored(35, "tiny", day(.leastNonzeroMagnitude), .date(day(.leastNonzeroMagnitude))),
            .written(36, "not a number", day(.nan), .date(day(.nan))),
            .stored(36, "infinite", Box(v: day(.infinity)), ["v": .date(day(.infinity))]),
            .stored(37, "negative zero", day(-0.0), .date(day(0.0))),
            .unreadable(67, "a real", 1.5, as: Date.self),
            .unreadable(67, "an integer", ["v": 1], as: Box<Date>.self, at: "v"),
            .unreadable(67, "a string", "2001-01-01T00:00:00Z", as: Date.self),
            .written(67, "a date that is passed on", PassingOn(day(1.5)), 1.5),
            .written(67, "a date in a container", Single(day(1.5)), .date(day(1.5))),
        ] as [ShapeCase]
    )
    func dates(_ row: ShapeCase) throws { try row.check() }

    @Test(
        "Leaf types have forms of their own",
        arguments: [
            .stored(55, "Decimal", decimal("0.1"), "0.1"),
            .stored(55, "Decimal not a number", Box(v: Decimal.nan), ["v": "NaN"]),
            .stored(55, "great Decimal", decimal("1e127"), .string("1" + zeros(127))),
            .stored(55, "greatest Decimal", Decimal.greatestFiniteMagnitude, greatest),
            .unreadable(55, "Decimal with an end", "12abc", as: Decimal.self),
            .unreadable(55, "Decimal with a comma", "1,5", as: Decimal.self),
            .unreadable(55, "Decimal with a space", " 1", as: Decimal.self),
            .unreadable(55, "Decimal without digits", ".5", as: Decimal.self),
            .unreadable(55, "Decimal with 42 digits", .string(digits(42)), as: Decimal.self),
            .unreadable(55, "Decimal too great", "1e200", as: Decimal.self),
            .unreadable(55, "Decimal too small", "1e-200", as: Decimal.self),
            .unreadable(
                55,
                "Decimal with a vast exponent",
                "1e99999999999999999999",
                as: Decimal.self
            ),
            .unreadable(55, "Decimal nan", "nan", as: Decimal.self),
            .read(55, "Decimal zero", "-0.000e5", Decimal(0)),
            .read(55, "Decimal with an exponent", "1.5E+3", Decimal(1500)),
            .read(55, "Decimal with zeros", "007.50", decimal("7.5")),
            .read(55, "Decimal from an integer", 42, Decimal(42)),
            .read(55, "Decimal from a real", 0.1, decimal("0.1")),
            .unreadable(55, "Decimal from infinity", .real(.infinity), as: Decimal.self),
            .unreadable(55, "Decimal from true", true, as: Decimal.self),
            .read(
                55,
                "Decimal from parts",
                [
                    "exponent": -1, "length": 1, "isNegative": true, "isCompact": true,
                    "mantissa": [15, 0, 0, 0, 0, 0, 0, 0],
                ],
                decimal("-1.5")
            ),
            .unreadable(
                55,
                "Decimal from wrong parts",
                [
                    "exponent": -1, "length": 15, "isNegative": true, "isCompact": true,
                    "mantissa": [15, 0, 0, 0, 0, 0, 0, 0],
                ],
                as: Decimal.self
            ),
            .stored(
                56,
                "URL with a base",
                URL(string: "d?x=1", relativeTo: url("https://a.b/c/")) ?? url("none"),
                ["base": ["relative": "https://a.b/c/"], "relative": "d?x=1"]
            ),
            .stored(
                57,
                "URL",
                url("https://é.x/ü"),
                "https://xn--9ca.x/%C3%BC"
            ),
            .stored(57, "URL of a file", URL(filePath: "/x/y"), "file:///x/y"),
            .stored(57, "URLs", [URL(filePath: "/x/y")], ["file:///x/y"]),
            .stored(57, "an optional URL", Box<URL?>(v: URL(filePath: "/x")), ["v": "file:///x"]),
            .read(57, "URL in parts", ["relative": "https://a.b"], url("https://a.b")),
            .unreadable(57, "no URL", "", as: URL.self),
            .unreadable(57, "no URL either", 1, as: URL.self),
            .stored(58, "UUID", id, .string(id.uuidString)),
            .read(58, "UUID in lower case", .string(id.uuidString.lowercased()), id),
            .unreadable(
                58,
                "UUID cut short",
                .string(String(id.uuidString.dropLast())),
                as: UUID.self
            ),
            .unreadable(58, "UUID and more", .string(id.uuidString + "0"), as: UUID.self),
            .unreadable(
                58,
                "UUID without hyphens",
                .string(id.uuidString.replacing("-", with: "0")),
                as: UUID.self
            ),
            .unreadable(
                58,
                "UUID with another letter",
                .string(id.uuidString.replacing("A", with: "G")),
                as: UUID.self
            ),
            .unreadable(58, "no UUID", ["v": "x"], as: Box<UUID>.self, at: "v"),
            .stored(72, "no bytes", Data(), .data(Data())),
            .stored(72, "bytes", Box(v: Data([1, 2])), ["v": .data(Data([1, 2]))]),
            .unreadable(72, "an array is no Data", [1, 2], as: Data.self),
            .stored(72, "no text", "", ""),
            .stored(72, "no elements", [Int](), []),
            .stored(72, "no points", [Point](), []),
            .stored(72, "no entries", [String: Int](), [:]),
            .stored(72, "empty structs", [Empty(), Empty()], [[:], [:]]),
            .stored(72, "an empty struct", Empty(), [:]),
            .stored(73, "an enum with a payload", Payload.x(1), ["x": ["_0": 1]]),
            .stored(73, "an enum without one", Payload.y, ["y": [:]]),
            .stored(73, "a raw-value enum", [Theme.dark], ["dark"]),
            .stored(73, "a range", 1..<5, [1, 5]),
        ] as [ShapeCase]
    )
    func leaves(_ row: ShapeCase) throws { try row.check() }

    @Test(
        "Dictionaries have keys where their keys have text",
        arguments: [
            .stored(59, "keyed by enum", [Theme.light: 1], ["light": 1]),
            .stored(59, "keyed by number", [Level.one: 1], ["1": 1]),
            .stored(59, "keyed by Int", [1: 1, -2: 2], ["1": 1, "-2": 2]),
            .stored(59, "keyed by UUID", [id: 1], PropertyListValue.dictionary([id.uuidString: 1])),
            .stored(59, "keyed by key", [NamedKey(name: "a"): 1], ["a": 1]),
            .read(59, "Swift's pairs", ["light", 1, "dark", 2], [Theme.light: 1, .dark: 2]),
            .stored(60, "no entries", [Theme: Int](), [:]),
            .read(60, "no pairs", [], [Theme: Int]()),
            .stored(61, "optional ones", [[MyID(rawValue: "a"): 1], nil], [["a": 1], "$null"]),
            .stored(
                61,
                "one in the other",
                Box(v: [Level.two: [Theme.dark: 1]]),
                ["v": ["2": ["dark": 1]]]
            ),
            .stored(
                61,
                "structs as values",
                [Theme.dark: [Point(x: 1, y: 2)]],
                ["dark": [["x": 1, "y": 2]]]
            ),
            .unreadable(62, "an unknown raw value", ["neon": 1], as: [Theme: Int].self, at: "neon"),
            .unreadable(
                62,
                "a bad value",
                ["v": ["dark": "x"]],
                as: Box<[Theme: Int]>.self,
                at: "v/dark"
            ),
            .unreadable(
                62,
                "a raw value twice too large",
                ["7": 1],
                as: [Level: Int].self,
                at: "7"
            ),
            .refused(63, "two keys of one raw value", looseKeys(), at: "a"),
            .unreadable(
                64,
                "Int keys read alike",
                ["1": 1, "01": 2],
                as: [Int: Int].self,
                at: "01"
            ),
            .unreadable(64, "Int key with a zero", ["01": 2], as: [Int: Int].self, at: "01"),
            .unreadable(64, "Int key with a plus", ["+1": 2], as: [Level: Int].self, at: "+1"),
            .unreadable(64, "no Int key", ["x": 2], as: [Int: Int].self, at: "x"),
            .unreadable(
                64,
                "UUIDs but for case",
                .dictionary([id.uuidString: 1, id.uuidString.lowercased(): 2]),
                as: [UUID: Int].self
            ),
            .stored(
                65,
                "pairs",
                [Point(x: 2, y: 0): 1, Point(x: 1, y: 9): 2],
                [["x": 1, "y": 9], 2, ["x": 2, "y": 0], 1]
            ),
            .stored(65, "keyed by Bool", [true: 1, false: 0], [false, 0, true, 1]),
            .stored(66, "set", Set([3, 1, 2]), [1, 2, 3]),
            .written(
                66,
                "set of reals",
                Set([.nan, -0.0, 1, -.infinity]),
                [.real(-.infinity), -0.0, 1.0, .real(.nan)]
            ),
            .stored(66, "sets in a set", Set([Set([2, 1]), Set([0])]), [[0], [1, 2]]),
            .stored(66, "empty set", Set<Int>(), []),
            .stored(66, "set in a struct", Box(v: Set(["b", "a"])), ["v": ["a", "b"]]),
        ] as [ShapeCase]
    )
    func dictionaries(_ row: ShapeCase) throws { try row.check() }

    @Test("A date that its type passes on is a number, which is no date")
    func datePassedOn() throws {
        let tree = try PropertyListValue(encoding: PassingOn(day(1.5)))
        #expect(throws: DecodingError.self) { try tree.decode(Date.self) }
        #expect(try tree.decode(PassingOn<Date>.self).value == day(1.5))
    }

    @Test("A URL of a file below the working directory reads as an equal URL")
    func relativeFile() throws {
        let url = URL(filePath: "x/y")
        let tree = try PropertyListValue(encoding: [url])
        #expect(try tree.decode([URL].self) == [url])
    }

    @Test("Equal sets have equal trees, whatever happened to them before")
    func setOrder() throws {
        let words = (0..<200).map { "word \($0)" }
        let expected = try PropertyListValue(encoding: Set(words))
        for _ in 0..<20 {
            var set = Set<String>(minimumCapacity: .random(in: 1...4_000))
            for word in words.shuffled() { set.insert(word) }
            #expect(try PropertyListValue(encoding: set) == expected)
        }
    }

    @Test("Another spelling of the same characters is another value")
    func spelling() {
        #expect(PropertyListValue.string("\u{e9}") != .string("e\u{301}"))
        #expect(PropertyListValue.integer(1) != .real(1))
        #expect(PropertyListValue.real(.nan) == .real(-.nan))
        #expect(PropertyListValue.real(0.0) != .real(-0.0))
    }

    @Test("A long run of combining marks in a string is no burden")
    func marks() throws {
        let text = "a" + String(repeating: "\u{301}", count: 64_000)
        let tree = try PropertyListValue(encoding: [text])
        #expect(try PropertyListValue(encoding: [text]) == tree)
        #expect(try tree.decode([String].self).first?.utf8.count == text.utf8.count)
    }

    @Test("A key longer than 4,096 bytes is refused, wherever it stands")
    func longKeys() throws {
        let key = String(repeating: "k", count: 4_097)
        let allowed = String(repeating: "k", count: 4_096)
        #expect(try PropertyListValue(encoding: [allowed: 1]) == [allowed: 1].tree)
        #expect(throws: EncodingError.self) { try PropertyListValue(encoding: [key: 1]) }
        #expect(throws: EncodingError.self) { try PropertyListValue(encoding: [key: Empty()]) }
        #expect(throws: EncodingError.self) {
            try PropertyListValue(encoding: [MyID(rawValue: key): 1])
        }
    }
}

private let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 171, 205, 239, 14, 15, 16))
private let greatest = PropertyListValue.string(Decimal.greatestFiniteMagnitude.description)

private func day(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

private func digits(_ count: Int) -> String { String(repeating: "7", count: count) }

private func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

private func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/none") }

private func looseKeys() -> [LooseID: Int] {
    var other = LooseID(rawValue: "a")
    other.salt = 1
    return [LooseID(rawValue: "a"): 1, other: 2]
}

extension [String: Int] {
    fileprivate var tree: PropertyListValue { .dictionary(mapValues { .integer(Int64($0)) }) }
}
