import Foundation
import KVStore

/// Values that a medium is likely to alter, each with a name for the test's report.
enum Battery {
    static let values: [(name: String, value: PropertyListValue)] = scalars + strings + containers

    private static let scalars: [(String, PropertyListValue)] =
        [
            0, 1, -1, Int64.max, Int64.max - 1, Int64.min, Int64(Int32.max) + 1, 1 << 53,
        ].map { ("integer \($0)", .integer($0)) }
        + [UInt64.max, UInt64(Int64.max) + 1].map { ("unsigned \($0)", .unsignedInteger($0)) }
        + [
            0.0, -0.0, 1.0, -1.0, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            .leastNormalMagnitude, .infinity, -.infinity, .nan, 9_007_199_254_740_992, 1e16, 1.5e-7,
        ].map { ("real \($0)", .real($0)) }
        + [("true", true), ("false", false)]
        + [
            0, 0.5, -0.75, 0.999999, 700_000_000.123456, -63_114_076_800, 64_092_211_200, 1e15,
            1e18, -1e18, 1e-9, .nan, .infinity, -.infinity,
        ].map { ("date \($0)", .date(Date(timeIntervalSinceReferenceDate: $0))) }
        + [0, 1, 3, 100_000].map { ("data \($0)", .data(Data(repeating: 0xA5, count: $0))) }

    private static let strings: [(String, PropertyListValue)] = [
        "", " ", "\t\n x \n", "\r\n", "\u{FEFF}x", "x\u{FEFF}", "\u{FEFF}", "\u{0}", "a\u{0}b",
        "\u{1}\u{1F}", "\u{FFFE}", "\u{FFFF}", "\u{7F}\u{85}", "caf\u{E9}", "cafe\u{301}", "😀",
        "\u{1F468}\u{200D}\u{1F469}", "<k>&\"'</k>", "]]>", "%@ %s", "$null", "$$null", "\\u0000",
        "$date", "CF$UID", "true", "1", "2001-01-01T00:00:00Z",
        String(repeating: "e\u{301}", count: 2000),
    ].map { ("string \($0.prefix(12).debugDescription)", .string($0)) }

    private static let containers: [(String, PropertyListValue)] = [
        ("empty array", []), ("empty dictionary", [:]),
        ("nested empties", [[], [:], "", .data(Data()), [[]], ["": [:]]]),
        ("archiver reference", ["CF$UID": 3]),
        ("archiver reference within", ["a": [["CF$UID": -1], ["CF$UID": 1.5]]]),
        ("archiver reference and more", ["CF$UID": 3, "b": 1]),
        ("like a date", ["$date": "2001-01-01T00:00:00Z"]),
        ("like a real", ["$real": "-0.0"]),
        ("like an escape", ["$dictionary": ["$dictionary": ["$date": 5.0]]]),
        ("unknown tag", ["$future": 1]),
        (
            "hostile keys",
            [
                "\u{FEFF}x": 1, "x": 2, "\u{0}": 3, "": 4, "a.b": 5, "@avg.x": 6, "a/b\n\t": 7,
                "\u{FFFF}": 8, "<k>&": 9, "e\u{301}": 10,
            ]
        ),
        ("kinds side by side", [1, 1.0, true, "1", 0, false, -0.0, 0.0, .integer(.max)]),
        (
            "dates within",
            [.date(Date(timeIntervalSinceReferenceDate: 0.25)), ["d": .date(.distantPast)]]
        ),
        ("128 levels of arrays", nested(128) { [$0] }),
        ("128 levels of dictionaries", nested(128) { ["k": $0] }),
    ]

    /// Names of keys that are legal and that some layer might treat specially.
    static let keys = [
        "a.b", "a..b", "@x", "@avg.x", "a/b", "line\nbreak", "tab\t", "\r\n", " blank ", "😀",
        "<k>&\"'", "%@ %s", "self", "AppleLanguages", "caf\u{E9}", "Key", "key", "-dash", "$date",
        "CF$UID", String(repeating: "k", count: 4096),
    ]

    private static func nested(
        _ depth: Int,
        _ wrap: (PropertyListValue) -> PropertyListValue
    ) -> PropertyListValue {
        (1..<depth).reduce(wrap("bottom")) { value, _ in wrap(value) }
    }
}
