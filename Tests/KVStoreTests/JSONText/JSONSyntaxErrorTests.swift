import KVStore
import Testing

/// A text that is refused, and what the error says.
struct RefusedText: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let line: Int
    let column: Int
    let expected: String

    init(_ text: String, _ line: Int, _ column: Int, _ expected: String) {
        self.init(bytes: Array(text.utf8), line, column, expected)
    }

    init(bytes: [UInt8], _ line: Int, _ column: Int, _ expected: String) {
        self.bytes = bytes
        self.line = line
        self.column = column
        self.expected = expected
    }

    var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
}

@Suite("JSONSyntaxError") struct JSONSyntaxErrorTests {
    static let root = "an object of keys and values, in UTF-8"
    static let separator = #""," or "}""#
    static let payload = "a payload that the tag allows"
    static let number = "a number that a Double can hold"
    static let pair = "both halves of a surrogate pair"
    static let duplicate = "a key that the object does not have already"

    static let files: [RefusedText] = [
        RefusedText("", 1, 1, root),
        RefusedText(" \n ", 2, 2, root),
        RefusedText(bytes: [0, 0, 0, 0], 1, 1, root),
        RefusedText(bytes: [0xEF, 0xBB, 0xBF], 1, 1, root),
        RefusedText(bytes: [0xEF, 0xBB], 1, 1, root),
        RefusedText(bytes: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], 1, 1, root),
        RefusedText(bytes: [0xFE, 0xFF, 0, 0x7B, 0, 0x7D], 1, 1, root),
        RefusedText(bytes: [0x7B, 0, 0x7D, 0], 1, 2, "a key in double quotes"),
        RefusedText("[]", 1, 1, root),
        RefusedText("1", 1, 1, root),
        RefusedText("null", 1, 1, root),
        RefusedText("{", 1, 2, "a key in double quotes"),
        RefusedText("{}x", 1, 3, "the end of the text"),
        RefusedText("{}\n\n{}", 3, 1, "the end of the text"),
        RefusedText("{}\u{0}", 1, 3, "the end of the text"),
        RefusedText("\u{FEFF}\u{FEFF}{}", 1, 1, root),
        RefusedText("{\"a\":1,}", 1, 8, "a key in double quotes"),
        RefusedText("{\"a\":1,\n  }", 2, 3, "a key in double quotes"),
        RefusedText("{\"a\":1\n\"b\":2}", 2, 1, separator),
        RefusedText("{\"a\":[1,]}", 1, 9, "a value"),
        RefusedText("{\"a\":[1}", 1, 8, #""," or "]""#),
        RefusedText("{\"a\":{]}", 1, 7, "a key in double quotes"),
        RefusedText("{\"a\":[,]}", 1, 7, "a value"),
        RefusedText("{\"a\":}", 1, 6, "a value"),
        RefusedText("{\"a\" 1}", 1, 6, "\":\""),
        RefusedText("{\"a\"", 1, 5, "\":\""),
        RefusedText("{\"a\":", 1, 6, "a value"),
        RefusedText("{\"a\":1", 1, 7, separator),
        RefusedText("{a:1}", 1, 2, "a key in double quotes"),
        RefusedText("{'a':1}", 1, 2, "a key in double quotes"),
        RefusedText("{1:1}", 1, 2, "a key in double quotes"),
        RefusedText("{,}", 1, 2, "a key in double quotes"),
        RefusedText("{\"a\":1, // b\n}", 1, 9, "a key in double quotes"),
        RefusedText("{\"a\":1 /* b */}", 1, 8, separator),
        RefusedText("# x\n{}", 1, 1, root),
        RefusedText("{\"a\":\u{A0}1}", 1, 6, "a value"),
        RefusedText("{\"a\":tru}", 1, 9, "true"),
        RefusedText("{\"a\":fals\n}", 1, 10, "false"),
        RefusedText("{\"a\":nul", 1, 9, "null"),
        RefusedText("{\"a\":True}", 1, 6, "a value"),
        RefusedText("{\"a\":truee}", 1, 10, separator),
        RefusedText("{\"a\":NaN}", 1, 6, "a value"),
        RefusedText("{\"a\":nan}", 1, 7, "null"),
        RefusedText("{\"a\":Infinity}", 1, 6, "a value"),
        RefusedText("{\"a\":-Infinity}", 1, 7, "a digit"),
        RefusedText("{\"a\":+1}", 1, 6, "a value"),
        RefusedText("{\"a\":-}", 1, 7, "a digit"),
        RefusedText("{\"a\":01}", 1, 7, separator),
        RefusedText("{\"a\":-01}", 1, 8, separator),
        RefusedText("{\"a\":.5}", 1, 6, "a value"),
        RefusedText("{\"a\":1.}", 1, 8, "a digit"),
        RefusedText("{\"a\":1.e5}", 1, 8, "a digit"),
        RefusedText("{\"a\":1e}", 1, 8, "a digit"),
        RefusedText("{\"a\":1e+}", 1, 9, "a digit"),
        RefusedText("{\"a\":1e5.5}", 1, 9, separator),
        RefusedText("{\"a\":0x10}", 1, 7, separator),
        RefusedText("{\"a\":1_000}", 1, 7, separator),
        RefusedText("{\"a\":1e400}", 1, 6, number),
        RefusedText("{\"a\":-1e400}", 1, 6, number),
        RefusedText("{\"a\":" + String(repeating: "9", count: 400) + "}", 1, 6, number),
        RefusedText("{\"a\":1e99999999999999999999}", 1, 6, number),
        RefusedText("{\"a\":\"x}", 1, 9, "the closing quote of a string"),
        RefusedText("{\"a\":\"\\", 1, 7, "an escape that JSON has"),
        RefusedText("{\"a\":\"x\ny\"}", 1, 8, "an escape in place of a control character"),
        RefusedText("{\"a\":\"x\u{0}\"}", 1, 8, "an escape in place of a control character"),
        RefusedText("{\"a\":\"\\n\t\"}", 1, 9, "an escape in place of a control character"),
        RefusedText("{\"a\":\"é\\x41\"}", 1, 8, "an escape that JSON has"),
        RefusedText("{\"a\":\"\\'\"}", 1, 7, "an escape that JSON has"),
        RefusedText("{\"a\":\"\\U0041\"}", 1, 7, "an escape that JSON has"),
        RefusedText("{\"a\":\"\\u12g4\"}", 1, 11, "four hexadecimal digits"),
        RefusedText("{\"a\":\"\\u12", 1, 11, "four hexadecimal digits"),
        RefusedText("{\"a\":\"\\u+123\"}", 1, 9, "four hexadecimal digits"),
        RefusedText("{\"a\":\"\\ud800\"}", 1, 7, pair),
        RefusedText("{\"a\":\"\\ud800x\"}", 1, 7, pair),
        RefusedText("{\"a\":\"\\ud800\\n\"}", 1, 7, pair),
        RefusedText("{\"a\":\"\\ud800\\u0041\"}", 1, 7, pair),
        RefusedText("{\"a\":\"\\ud800\\ud800\"}", 1, 7, pair),
        RefusedText("{\"a\":\"\\udc00\\ud800\"}", 1, 7, pair),
        RefusedText("{\"a\":1,\"\\u0061\":2}", 1, 8, duplicate),
        RefusedText("{\"é\":1,\n \"e\u{301}\":2}", 2, 2, duplicate),
        RefusedText("{\"a\":{\"b\":1,\"c\":2,\"b\":3,\"c\":4}}", 1, 19, duplicate),
        RefusedText("{\"k\":[{\"$date\":0,\"$date\":0}]}", 1, 18, duplicate),
        RefusedText("{\"\":1}", 1, 2, KeyRule.name),
        RefusedText("{\"a\\u0000b\":1}", 1, 2, KeyRule.name),
        RefusedText("{\"a\":1,\"\u{FEFF}x\":1}", 1, 8, KeyRule.name),
        RefusedText("{\"\\uffff\":1}", 1, 2, KeyRule.name),
        RefusedText("{\"" + String(repeating: "k", count: 4097) + "\":1}", 1, 2, KeyRule.length),
        RefusedText(
            "{\"a\":{\"" + String(repeating: "é", count: 2049) + "\":1}}",
            1,
            7,
            KeyRule.length
        ),
        RefusedText(
            "{\"a\":{\"$date\":\"2024-02-30T00:00:00Z\"}}",
            1,
            15,
            payload
        ),
        RefusedText("{\"a\":{\n\"$date\" :\n null}}", 3, 2, payload),
        RefusedText("{\"a\":{\"$date\":true}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$date\":{\"$real\":\"nan\"}}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$date\":{}}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$date\":\"Nan\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$date\":\"-0.0\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"QQ\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"QQ=\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"QR==\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"QQ==\\n\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"QQ==QQ==\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"_-8=\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"====\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":\"é\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":[1]}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$data\":null}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$real\":\"NaN\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$real\":\"-0\"}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$real\":1.5}}", 1, 15, payload),
        RefusedText("{\"a\":{\"$string\":\"\\\\n\"}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$string\":\"\\\\\"}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$string\":\"\\\\u12\"}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$string\":\"\\\\ud800\"}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$string\":\"\\\\ud800x\"}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$string\":\"\\\\udc00\"}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$string\":1}}", 1, 17, payload),
        RefusedText("{\"a\":{\"$dictionary\":1}}", 1, 21, payload),
        RefusedText("{\"a\":{\"$dictionary\":\"x\"}}", 1, 21, payload),
        RefusedText("{\"a\":{\"$dictionary\":[\"x\"]}}", 1, 21, payload),
        RefusedText("{\"a\":{\"$dictionary\":[1,2]}}", 1, 21, payload),
        RefusedText(
            "{\"a\":{\"$dictionary\":[\"é\",1,\"e\u{301}\",2]}}",
            1,
            21,
            payload
        ),
        RefusedText(
            "{\"a\":{\"$dictionary\":[\"" + String(repeating: "k", count: 4097) + "\",1]}}",
            1,
            21,
            payload
        ),
        RefusedText(
            #"{"a":{"$dictionary":{"$date":"x"},"b":1}}"#,
            1,
            21,
            payload
        ),
        RefusedText(
            bytes: Array("{\"é\":\"".utf8) + [0xC0, 0x80, 0x22, 0x7D],
            1,
            7,
            "valid UTF-8"
        ),
        RefusedText(bytes: Array("{\"é\":\"ü".utf8) + [0xFF, 0x22, 0x7D], 1, 8, "valid UTF-8"),
        RefusedText(
            bytes: Array("{\"a\":\"".utf8) + [0xE2, 0x82, 0x22, 0x7D],
            1,
            7,
            "valid UTF-8"
        ),
        RefusedText(
            bytes: Array("{\"a\":\"".utf8) + [0xED, 0xA0, 0x80, 0x22, 0x7D],
            1,
            7,
            "valid UTF-8"
        ),
        RefusedText(
            bytes: Array("{\"a\":\"".utf8) + [0xF4, 0x90, 0x80, 0x80, 0x22],
            1,
            7,
            "valid UTF-8"
        ),
        RefusedText(
            bytes: Array("{\"a\":\"\\n".utf8) + [0x80, 0x22, 0x7D],
            1,
            9,
            "valid UTF-8"
        ),
        RefusedText(
            bytes: Array("{\"a\":\"x".utf8) + [0xC3],
            1,
            9,
            "the closing quote of a string"
        ),
        RefusedText("{\r\n\"a\":\r1,\n\n\"b\"x}", 5, 4, "\":\""),
    ]

    @Test("bad text is refused with its place", arguments: files)
    func refusal(file: RefusedText) {
        let error = JSONSyntaxError(line: file.line, column: file.column, expected: file.expected)
        #expect(throws: error) { try JSONText.values(from: file.bytes) }
    }
}

/// What errors say about keys.
enum KeyRule {
    static let name =
        "a key that is not empty, does not begin with U+FEFF and has no control characters"
    static let length = "a key of at most 4096 bytes"
}
