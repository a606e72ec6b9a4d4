import Foundation
import KVStore
import Testing

/// The stored form of each kind of value, frozen: later versions must read these files.
///
/// A released file is never edited. A new kind of value goes to a new file.
@Suite("Golden files") struct GoldenFileTests {
    static func date(_ seconds: Double) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    static let values: [String: PropertyListValue] = [
        "array.empty": [],
        "array.mixed": [1, 1.0, true, "1", .null, [], [:]],
        "bool.false": false,
        "bool.true": true,
        "data.bytes": .data(Data([0x00, 0xFF, 0xFE, 0x80])),
        "data.empty": .data(Data()),
        "date.beforeTheCalendar": date(-63_114_076_800),
        "date.distantFuture": date(63_113_904_000),
        "date.first": date(-63_113_904_000),
        "date.fraction": date(780_000_000.123456),
        "date.fractionBelowZero": date(-0.1),
        "date.huge": date(1e18),
        "date.infinity": date(.infinity),
        "date.last": date(252_423_993_599),
        "date.minusInfinity": date(-.infinity),
        "date.nan": date(.nan),
        "date.tiny": date(1e-10),
        "date.whole": date(780_000_000),
        "date.zero": date(0),
        "dictionary.archiverReference": ["CF$UID": 3],
        "dictionary.byInteger": ["-1": "minus one", "2": "two"],
        "dictionary.empty": [:],
        "dictionary.enumeration": ["circle": ["_0": 1.5], "point": [:]],
        "dictionary.keyOrder": ["b": 1, "a": 2, "é": 3, "\u{10000}": 4, "\u{FFEE}": 5, "": 6],
        "dictionary.markedKey": ["\u{FEFF}x": 1, "x": 2, "a\u{0}b": 3],
        "dictionary.namedLikeData": ["$data": "QQ=="],
        "dictionary.namedLikeDate": ["$date": date(0)],
        "dictionary.namedLikeDictionary": ["$dictionary": ["$date": "x"]],
        "dictionary.namedLikeReal": ["$real": "nan"],
        "dictionary.namedLikeString": ["$string": "\\u0041"],
        "dictionary.nested": ["a": ["b": ["c": [["d": [1, ["e": date(0.5)]]]]]]],
        "dictionary.newerTag": ["$kv.color": "red"],
        "dictionary.twoDollarKeys": ["$date": 1, "$data": 2],
        "dictionary.unknownTag": ["$foo": 1],
        "integer.largest": .integer(.max),
        "integer.minusOne": -1,
        "integer.smallest": .integer(.min),
        "integer.zero": 0,
        "key with spaces, \"quotes\", a\ttab and\na newline": 1,
        "null": .null,
        "null.inArray": [1, .null, 3],
        "null.likeString": "$$null",
        "null.likeStringTwice": "$$$null",
        "pairs": [["x": 1, "y": 2], "value"],
        "real.float": .real(Double(Float(0.1))),
        "real.infinity": .real(.infinity),
        "real.large": 1e16,
        "real.largest": .real(.greatestFiniteMagnitude),
        "real.minusInfinity": .real(-.infinity),
        "real.minusZero": .real(-0.0),
        "real.nan": .real(.nan),
        "real.plain": 0.1,
        "real.smallest": .real(.leastNonzeroMagnitude),
        "real.whole": 1.0,
        "real.zero": 0.0,
        "string.composed": "é",
        "string.control": "a\u{0}\u{1}\u{1F}\u{7F}\\",
        "string.decomposed": "e\u{301}",
        "string.empty": "",
        "string.emoji": "👩‍👩‍👧‍👦",
        "string.escapes": "\"\\/\u{8}\u{C}\n\r\t\r\n",
        "string.innerMark": "x\u{FEFF}",
        "string.markup": "<key>&amp;]]></key>",
        "string.nearlyNull": ["$null ", "$nullx", "x$null"],
        "string.leadingMark": "\u{FEFF}x",
        "string.noncharacters": "\u{FFFE}\u{FFFF}\u{10FFFF}",
        "string.number": "007",
        "string.separators": "\u{2028}\u{2029}\u{85}",
        "unsignedInteger.largest": .unsignedInteger(.max),
        "unsignedInteger.smallest": .unsignedInteger(1 << 63),
        "url": "https://example.com/?q=1#top",
        "url.withBase": ["base": ["relative": "https://a.b/c/"], "relative": "d?x=1"],
        "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
        "éclair": "a key beyond ASCII",
    ]

    static func url(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
    }

    @Test("the JSON text of every kind of value is byte for byte as it was released")
    func jsonText() throws {
        let golden = Array(try Data(contentsOf: Self.url("stored-shapes.json")))
        let text = JSONText.text(of: Self.values)
        #expect(text == golden, "\(firstDifference(text, golden))")
        #expect(try JSONText.values(from: golden) == Self.values)
    }

    @Test("a released property list of Foundation on Linux is read as it was written")
    func propertyList() throws {
        let golden = try Data(contentsOf: Self.url("stored-shapes.xml.plist"))
        let tagged = try Self.values.mapValues {
            try MediumTagging.tagged($0, for: .linuxPropertyList)
        }
        let stored = try PropertyListXML.values(from: golden)
        #expect(stored == tagged)
        let read = try stored.mapValues { try MediumTagging.untagged($0, badPayload: .fails) }
        #expect(read == Self.values)
    }

    @Test("Foundation writes the tagged values into the released property list")
    func writtenPropertyList() throws {
        let tagged = try Self.values.mapValues {
            try MediumTagging.tagged($0, for: .linuxPropertyList)
        }
        let written = try PropertyListXML.data(of: tagged)
        #expect(try PropertyListXML.values(from: written) == tagged)
        guard let directory = ProcessInfo.processInfo.environment["KVSTORE_WRITE_GOLDEN"] else {
            return
        }
        let folder = URL(fileURLWithPath: directory)
        try written.write(to: folder.appendingPathComponent("stored-shapes.xml.plist"))
        try Data(JSONText.text(of: Self.values))
            .write(to: folder.appendingPathComponent("stored-shapes.json"))
    }

    private func firstDifference(_ text: [UInt8], _ golden: [UInt8]) -> String {
        let count = zip(text, golden).prefix { $0 == $1 }.count
        return String(
            decoding: text[max(0, count - 40)..<min(text.count, count + 40)],
            as: UTF8.self
        )
    }
}
