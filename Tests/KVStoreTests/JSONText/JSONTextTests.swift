import KVStore
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A tree and its compact JSON text.
struct TextCase: Sendable, CustomTestStringConvertible {
    let tree: PropertyListValue
    let text: String

    init(_ tree: PropertyListValue, _ text: String) {
        self.tree = tree
        self.text = text
    }

    var testDescription: String { text }
}

@Suite("JSONText", .onOwnThreads) struct JSONTextTests {
    static let pairs: [TextCase] = [
        TextCase(.null, "null"),
        TextCase("$$null", #""$$null""#),
        TextCase("$$$null", #""$$$null""#),
        TextCase("$null ", #""$null ""#),
        TextCase("$nullx", #""$nullx""#),
        TextCase("x$null", #""x$null""#),
        TextCase([1, .null, 3], "[1,null,3]"),
        TextCase(["$$null", .null], #"["$$null",null]"#),
        TextCase(["v": .null], #"{"v":null}"#),
        TextCase(["$null": 1], #"{"$null":1}"#),
        TextCase([:], "{}"),
        TextCase([], "[]"),
        TextCase([[:], [:]], "[{},{}]"),
        TextCase("", #""""#),
        TextCase(["": ""], #"{"":""}"#),
        TextCase(["$date": "x"], #"{"$dictionary":{"$date":"x"}}"#),
        TextCase(
            ["$date": date(0)],
            #"{"$dictionary":{"$date":{"$date":"2001-01-01T00:00:00Z"}}}"#
        ),
        TextCase(
            ["$dictionary": ["$date": "x"]],
            #"{"$dictionary":{"$dictionary":{"$dictionary":{"$date":"x"}}}}"#
        ),
        TextCase(
            ["$dictionary": ["$dictionary": [:]]],
            #"{"$dictionary":{"$dictionary":{"$dictionary":{"$dictionary":{}}}}}"#
        ),
        TextCase(["$dictionary": []], #"{"$dictionary":{"$dictionary":[]}}"#),
        TextCase(["$real": .real(.nan)], #"{"$dictionary":{"$real":{"$real":"nan"}}}"#),
        TextCase(["$string": 1], #"{"$dictionary":{"$string":1}}"#),
        TextCase(["$data": .data(Data([1]))], #"{"$dictionary":{"$data":{"$data":"AQ=="}}}"#),
        TextCase(["$date": "x", "a": "y"], #"{"$date":"x","a":"y"}"#),
        TextCase(
            ["$dictionary": ["$date": "x"], "a": "y"],
            #"{"$dictionary":{"$dictionary":{"$date":"x"}},"a":"y"}"#
        ),
        TextCase(["$foo": 1], #"{"$foo":1}"#),
        TextCase(["$kv.a": 1], #"{"$kv.a":1}"#),
        TextCase(["$\u{301}date": 1], "{\"$\u{301}date\":1}"),
        TextCase(["CF$UID": 3], #"{"CF$UID":3}"#),
        TextCase(["\u{FEFF}x": 1, "x": 2], "{\"x\":2,\"\u{FEFF}x\":1}"),
        TextCase("\u{FEFF}x", "\"\u{FEFF}x\""),
        TextCase("a\u{1}\\", #""a\u0001\\""#),
        TextCase("\u{0}\u{1F}\u{7F}\u{2028}/", "\"\\u0000\\u001f\u{7F}\u{2028}/\""),
        TextCase("\n\t\r\u{8}\u{C}\"", #""\n\t\r\b\f\"""#),
        TextCase(["a\u{0}b": "a\u{0}b"], #"{"a\u0000b":"a\u0000b"}"#),
        TextCase("😀 é e\u{301}", "\"😀 é e\u{301}\""),
        TextCase(1.0, "1.0"),
        TextCase(1, "1"),
        TextCase(true, "true"),
        TextCase(false, "false"),
        TextCase(.real(-0.0), "-0.0"),
        TextCase(0.0, "0.0"),
        TextCase(0.1, "0.1"),
        TextCase(.real(.leastNonzeroMagnitude), "5e-324"),
        TextCase(1e16, "1e+16"),
        TextCase(.real(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
        TextCase(.real(.nan), #"{"$real":"nan"}"#),
        TextCase(.real(.infinity), #"{"$real":"inf"}"#),
        TextCase(.real(-.infinity), #"{"$real":"-inf"}"#),
        TextCase(.real(Double(Float(0.1))), "0.10000000149011612"),
        TextCase(.integer(.max), "9223372036854775807"),
        TextCase(.integer(.min), "-9223372036854775808"),
        TextCase(.unsignedInteger(.max), "18446744073709551615"),
        TextCase(.unsignedInteger(1 << 63), "9223372036854775808"),
        TextCase(.real(18_446_744_073_709_551_616), "1.8446744073709552e+19"),
        TextCase(.data(Data()), #"{"$data":""}"#),
        TextCase(.data(Data([0, 0xFF, 0xFE])), #"{"$data":"AP/+"}"#),
        TextCase(date(0.5), #"{"$date":"2001-01-01T00:00:00.5Z"}"#),
        TextCase(date(-63_114_076_800), #"{"$date":-63114076800.0}"#),
        TextCase(date(1e18), #"{"$date":1e+18}"#),
        TextCase(date(.nan), #"{"$date":"nan"}"#),
        TextCase(date(.infinity), #"{"$date":"inf"}"#),
        TextCase(date(-.infinity), #"{"$date":"-inf"}"#),
        TextCase(["x": ["_0": 1]], #"{"x":{"_0":1}}"#),
        TextCase(
            ["b": 1, "a": 2, "é": 3, "\u{10000}": 4, "\u{FFEE}": 5, "": 6, "a\u{0}": 7],
            "{\"\":6,\"a\":2,\"a\\u0000\":7,\"b\":1,\"é\":3,\"\u{FFEE}\":5,\"\u{10000}\":4}"
        ),
    ]

    static func date(_ seconds: Double) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test("a tree has one compact text and is read back from it", arguments: pairs)
    func compactText(pair: TextCase) throws {
        #expect(String(decoding: JSONText.compactText(of: pair.tree), as: UTF8.self) == pair.text)
        #expect(try JSONText.value(from: Array(pair.text.utf8)) == pair.tree)
    }

    @Test("a tree is read back from the text of a file", arguments: pairs)
    func fileText(pair: TextCase) throws {
        let values = ["key": pair.tree, "other": [pair.tree, ["nested": pair.tree]]]
        let text = JSONText.text(of: values)
        #expect(try JSONText.values(from: text) == values)
        #expect(try JSONText.text(of: JSONText.values(from: text)) == text)
        #expect(text.last == UInt8(ascii: "\n"))
    }

    static let readings: [TextCase] = [
        TextCase(100_000.0, "1E5"),
        TextCase(100_000.0, "1e+05"),
        TextCase(0.0, "1e-400"),
        TextCase(.real(-0.0), "-1e-400"),
        TextCase(.real(-0.0), "-0"),
        TextCase(.real(-0.0), "-0e5"),
        TextCase(0, "0"),
        TextCase(0.0, "0e999999999999999999999"),
        TextCase(.real(18_446_744_073_709_551_616), "18446744073709551616"),
        TextCase(.real(1e20), "100000000000000000000"),
        TextCase(.real(-9_223_372_036_854_775_808), "-9223372036854775809"),
        TextCase(.integer(9_007_199_254_740_993), "9007199254740993"),
        TextCase(.null, #""$null""#),
        TextCase("😀", #""\ud83d\ude00""#),
        TextCase("😀", #""\uD83D\uDE00""#),
        TextCase("/\u{FFFF}é", #""\/\uffff\u00e9""#),
        TextCase([1, [2]], " [ 1 ,\r\n\t[ 2 ] ] "),
        TextCase(["a": 1], "\u{FEFF}{\"a\":1}"),
        TextCase(date(725_752_800), #"{"$date":"2024-01-01T00:00:00+02:00"}"#),
        TextCase(date(5), #"{"$date":5}"#),
        TextCase(date(0), #"{"$date":-0}"#),
        TextCase(date(18_446_744_073_709_551_616), #"{"$date":18446744073709551615}"#),
        TextCase(.real(-0.0), #"{"$real":"-0.0"}"#),
        TextCase("\u{FEFF}x\\", #"{"$string":"\\ufeffx\\\\"}"#),
        TextCase("😀", #"{"$string":"\\ud83d\\uDE00"}"#),
        TextCase(["CF$UID": 3], #"{"$dictionary":["CF$UID",3]}"#),
        TextCase([:], #"{"$dictionary":[]}"#),
        TextCase([:], #"{"$dictionary":{}}"#),
        TextCase(["x": 1], #"{"$dictionary":{"x":1}}"#),
        TextCase(
            ["\u{FEFF}x": 1, "b": date(0)],
            #"{"$dictionary":[{"$string":"\\ufeffx"},1,"b",{"$date":0}]}"#
        ),
        TextCase(
            ["a": ["$date": "x"], "$date": date(1)],
            #"{"$dictionary":{"a":{"$dictionary":{"$date":"x"}},"$date":{"$date":1}}}"#
        ),
        TextCase(
            ["$dictionary": date(1), "b": 2],
            #"{"$dictionary":{"$date":1},"b":2}"#
        ),
        TextCase(
            ["$date": ["$real": 1], "b": 2],
            #"{"$date":{"$dictionary":{"$real":1}},"b":2}"#
        ),
        TextCase(["$date": ["a": 1]], #"{"$dictionary":{"$date":{"a":1}}}"#),
    ]

    @Test("text that a person or another program wrote is read", arguments: readings)
    func reading(pair: TextCase) throws {
        #expect(try JSONText.value(from: Array(pair.text.utf8)) == pair.tree)
        let rewritten = JSONText.compactText(of: pair.tree)
        #expect(try JSONText.value(from: rewritten) == pair.tree)
    }

    @Test("the root of a file is literal, whatever its keys are named")
    func rootIsLiteral() throws {
        for text in [
            #"{"$date":"2001-01-01T00:00:00Z"}"#, #"{"$date":"x"}"#, #"{"$dictionary":[]}"#,
        ] {
            let values = try JSONText.values(from: Array(text.utf8))
            #expect(values.count == 1)
            #expect(try JSONText.values(from: JSONText.text(of: values)) == values)
        }
        #expect(
            try JSONText.values(from: Array(#"{"$dictionary":{"$date":0}}"#.utf8))
                == ["$dictionary": Self.date(0)]
        )
    }

    @Test("a file's text is sorted, indented and ends with one newline")
    func layout() {
        let text = JSONText.text(of: [
            "b": [1, [], [:]], "a": ["y": Self.date(0), "x": ["$real": 2.5]], "é": "ü",
            "c": [[true]],
        ])
        #expect(
            String(decoding: text, as: UTF8.self) == """
                {
                  "a": {
                    "x": {
                      "$dictionary": {
                        "$real": 2.5
                      }
                    },
                    "y": {"$date": "2001-01-01T00:00:00Z"}
                  },
                  "b": [
                    1,
                    [],
                    {}
                  ],
                  "c": [
                    [
                      true
                    ]
                  ],
                  "é": "ü"
                }

                """
        )
        #expect(String(decoding: JSONText.text(of: [:]), as: UTF8.self) == "{}\n")
    }

    @Test("a byte-order mark is read and not written again")
    func byteOrderMark() throws {
        let values = try JSONText.values(from: [0xEF, 0xBB, 0xBF] + Array("{\"a\":1}".utf8))
        #expect(values == ["a": 1])
        #expect(JSONText.text(of: values).first == UInt8(ascii: "{"))
    }
}
