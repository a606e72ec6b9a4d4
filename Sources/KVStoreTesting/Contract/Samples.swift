import KVStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values of each kind that media are known to lose, and the trees they must be stored as.
enum Samples {
    enum Theme: String, Codable, Sendable, Hashable { case light, dark }
    enum Level: Int, Codable, Sendable, Hashable { case low = 1, high }
    enum Shape: Codable, Sendable, Equatable { case circle(Int), none }

    struct Profile: Codable, Sendable, Equatable {
        var name: String
        var nickname: String?
        var isActive: Bool
        var score: Double
        var theme: Theme
        var tags: [String]
        var friends: [Profile]
    }

    struct Empty: Codable, Sendable, Equatable {}

    static let all =
        integers + bools + reals + strings + dates + data + collections + nils + structs

    static let integers = [
        Sample("zero", 0, 0),
        Sample("minus one", -1, -1),
        Sample("Int8.min", Int8.min, -128),
        Sample("UInt8.max", UInt8.max, 255),
        Sample("Int64.min", Int64.min, .integer(.min)),
        Sample("Int64.max", Int64.max, .integer(.max)),
        Sample("UInt64 below 2^63", UInt64(Int64.max), .integer(.max)),
        Sample("UInt64.max", UInt64.max, .unsignedInteger(.max)),
        Sample("above 2^53", 9_007_199_254_740_993, .integer(9_007_199_254_740_993)),
        Sample("integers", [1, 2, 3], [1, 2, 3]),
    ]

    static let bools = [
        Sample("true", true, true),
        Sample("false", false, false),
        Sample("bools", [true, false], [true, false]),
    ]

    static let reals =
        [
            0.0, -0.0, 1.0, -1.5, 0.1, 1e16, .leastNonzeroMagnitude, .leastNormalMagnitude,
            .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
        ].map(Sample.real) + [
            Sample("float", Float(0.1), .real(Double(Float(0.1)))),
            Sample("reals", [1.0, -0.0, .infinity], [1.0, .real(-0.0), .real(.infinity)]),
        ]

    static let strings: [Sample] = [
        .string("empty", ""),
        .string("composed", "caf\u{E9}"),
        .string("decomposed", "cafe\u{301}"),
        .string("lines", "one\ntwo\r\nthree\rfour\ttab "),
        .string("NUL", "a\u{0}b"),
        .string("controls", "\u{1}\u{8}\u{B}\u{1F}\\\u{7F}\u{85}\u{2028}"),
        .string("byte-order mark", "\u{FEFF}x\u{FEFF}"),
        .string("noncharacters", "\u{FFFE}\u{FFFF}\u{1FFFF}"),
        .string("markup", "<string>&amp;\"'</string>]]>"),
        .string("emoji", "👩‍👩‍👧‍👦🇫🇷\u{10FFFF}"),
        .string("number", "007"),
        .string("null", "$null", stored: "$$null"),
        .string("null escaped", "$$null", stored: "$$$null"),
        .string("like null", "$null "),
        .string("date", "2001-01-01T00:00:00Z"),
    ]

    static let dates =
        [
            0, 0.5, 1.25, -0.1, 1e-10, 780_000_000.123456, -63_113_904_001, 252_423_993_600,
            -13_197_600_001,
        ].map { seconds in
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return Sample("date \(seconds)", date, .date(date))
        } + [
            Sample("distant past", Date.distantPast, .date(.distantPast)),
            Sample("distant future", Date.distantFuture, .date(.distantFuture)),
            Sample("dates", [Date.distantPast], [.date(.distantPast)]),
        ]

    static let data = [
        Sample("no bytes", Data(), .data(Data())),
        Sample("every byte", Data(0...255), .data(Data(0...255))),
        Sample("nested data", ["a": [Data([0])]], ["a": [.data(Data([0]))]]),
    ]

    private static let uuid = UUID(
        uuid: (0xDE, 0xAD, 0xBE, 0xEF, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)
    )

    static let collections = [
        Sample("no elements", [Int](), []),
        Sample("no entries", [String: Int](), [:]),
        Sample("strings", ["en", "fr"], ["en", "fr"]),
        Sample("arrays of arrays", [[1], [], [2, 3]], [[1], [], [2, 3]]),
        Sample("set", Set([3, 1, 2]), [1, 2, 3]),
        Sample("set of strings", Set(["b", "a", "é"]), ["a", "b", "é"]),
        Sample("by string", ["a": 1, "a.b": 2, "A": 3], ["a": 1, "a.b": 2, "A": 3]),
        Sample("by integer", [1: "one", -2: "two"], ["1": "one", "-2": "two"]),
        Sample("by enum", [Theme.dark: 1], ["dark": 1]),
        Sample("by integer enum", [Level.high: 1], ["2": 1]),
        Sample("by UUID", [uuid: 1], [uuid.uuidString: 1]),
        Sample("by a mark", ["$date": "x"], ["$date": "x"]),
        Sample("empty structs", [Empty(), Empty()], [[:], [:]]),
    ]

    static let nils = [
        Sample("nil among integers", [1, nil, 3], [1, "$null", 3]),
        Sample("nil and $null", ["$null", nil], ["$$null", "$null"]),
        Sample("nil entry", ["a": nil, "b": 1] as [String: Int?], ["a": "$null", "b": 1]),
        Sample("nils only", [Int?](repeating: nil, count: 2), ["$null", "$null"]),
    ]

    private static let friend = Profile(
        name: "Grace",
        isActive: false,
        score: -0.5,
        theme: .light,
        tags: [],
        friends: []
    )

    static let structs =
        [
            Sample(
                "struct",
                Profile(
                    name: "Ada",
                    nickname: "A",
                    isActive: true,
                    score: 2,
                    theme: .dark,
                    tags: ["x"],
                    friends: [friend]
                ),
                [
                    "name": "Ada", "nickname": "A", "isActive": true, "score": 2.0, "theme": "dark",
                    "tags": ["x"],
                    "friends": [
                        [
                            "name": "Grace", "isActive": false, "score": -0.5, "theme": "light",
                            "tags": [], "friends": [],
                        ]
                    ],
                ]
            ),
            Sample("empty struct", Empty(), [:]),
            Sample("enum", Theme.dark, "dark"),
            Sample("integer enum", Level.high, 2),
            Sample("enum with a payload", Shape.circle(1), ["circle": ["_0": 1]]),
            Sample("enum without one", Shape.none, ["none": [:]]),
            Sample("UUID", uuid, .string(uuid.uuidString)),
            Sample("decimal", Decimal(15) / 100, "0.15"),
        ] + urls

    private static let urls = ["https://example.com/a?b=c#d", "file:///tmp/a%20b"].compactMap {
        text in URL(string: text).map { Sample("URL \(text)", $0, .string(text)) }
    }

    static let rawTrees: [(String, PropertyListValue)] = [
        ("date mark", ["$date": "2001-01-01T00:00:00Z"]),
        ("date mark over a date", ["$date": .date(Date(timeIntervalSinceReferenceDate: 0.5))]),
        ("data mark", ["$data": "AA=="]),
        ("real mark", ["$real": "nan"]),
        ("string mark", ["$string": "x"]),
        ("dictionary mark", ["$dictionary": ["$dictionary": ["$date": "x"]]]),
        ("dictionary mark over pairs", ["$dictionary": ["a", 1]]),
        ("mark of a newer version", ["$kv.color": [1, 2, 3]]),
        ("mark among others", ["$date": "x", "a": "y"]),
        ("archiver's mark", ["CF$UID": 3]),
        ("null", "$null"),
        ("null within", ["a": ["$null", "$$null"]]),
        ("empty name", ["": 1]),
        ("names not of XML", ["\u{FEFF}x": 1, "x": 2, "a\u{0}b": 3, "\u{FFFF}": 4]),
        ("one of each", [true, 1, 1.0, "1", .unsignedInteger(.max), .data(Data([1]))]),
    ]
}
