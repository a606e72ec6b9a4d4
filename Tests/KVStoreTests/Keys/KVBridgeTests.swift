import Foundation
import KVStore
import Testing

@Suite("KVBridge")
struct KVBridgeTests {
    /// Not `Codable`.
    enum Speed: String, Sendable, Equatable { case slow, fast }
    enum Level: Int, Sendable { case low = 1, high }

    /// Not `Codable`, with a description that makes it again.
    struct Version: LosslessStringConvertible, Sendable, Equatable {
        let major: Int
        let minor: Int

        init(major: Int, minor: Int) {
            self.major = major
            self.minor = minor
        }

        init?(_ description: String) {
            let parts = description.split(separator: ".").compactMap { Int($0) }
            guard parts.count == 2 else { return nil }
            self.init(major: parts[0], minor: parts[1])
        }

        var description: String { "\(major).\(minor)" }
    }

    struct Profile: Codable, Equatable {
        var name: String
        var born: Date
        var ratio = 2.0
        var key = Data([1, 2])
        var tags: Set<String> = ["only"]
    }

    private let store: any KVStoring = InMemoryKVStore()
    private let profile = Profile(name: "Ada", born: Date(timeIntervalSinceReferenceDate: 0.5))

    @Test
    func rawValueIsStoredForATypeThatIsNotCodable() throws {
        let key = KVKey<Speed>("speed", bridge: .rawValue)
        #expect(store.get(key) == nil)
        try store.set(key, value: .fast)
        #expect(try store.storedValues() == ["speed": "fast"])
        #expect(try store.value(for: key) == .fast)
        let level = KVDefaultKey("level", default: Level.low, bridge: .rawValue)
        #expect(store.get(level) == .low)
        try store.update(level) { $0 = .high }
        #expect(try store.storedValue(for: "level") == 2)
    }

    @Test
    func whatABridgeCannotReadIsAnErrorAndStays() throws {
        let key = KVDefaultKey("speed", default: Speed.slow, bridge: .rawValue)
        for stored: PropertyListValue in ["warp", 1.5, ["fast"], .data(Data())] {
            try store.setStoredValue(stored, for: "speed")
            #expect(store.get(key) == .slow)
            #expect(throws: DecodingError.self) { try store.value(for: key) }
            #expect(throws: DecodingError.self) { try store.update(key) { $0 = .fast } }
            KVStoreError.withHandler({ _ in }) { modify(&store[key]) }
            #expect(try store.storedValue(for: "speed") == stored)
        }
    }

    @Test
    func losslessStringIsStored() throws {
        let key = KVKey<Version>("version", bridge: .lossless)
        try store.set(key, value: Version(major: 6, minor: 3))
        #expect(try store.storedValue(for: "version") == "6.3")
        #expect(try store.value(for: key) == Version(major: 6, minor: 3))
        // A program may have stored the same as a number.
        try store.setStoredValue(6.5, for: "version")
        #expect(try store.value(for: key) == Version(major: 6, minor: 5))
        try store.setStoredValue("six", for: "version")
        #expect(throws: DecodingError.self) { try store.value(for: key) }
    }

    @Test
    func stringThatLooksLikeANullIsKept() throws {
        let key = KVKey<String>("text", bridge: .lossless)
        for text in ["$null", "$$null", "null", ""] {
            try store.set(key, value: text)
            #expect(try store.value(for: key) == text)
        }
    }

    @Test
    func jsonInDataIsWhatFoundationsCodersWriteAndRead() throws {
        let key = KVKey<Profile>("profile", bridge: .jsonData)
        try store.setStoredValue(.data(try JSONEncoder().encode(profile)), for: "profile")
        #expect(try store.value(for: key) == profile)
        try store.set(key, value: profile)
        guard case .data(let data)? = try store.storedValue(for: "profile") else {
            Issue.record("no data")
            return
        }
        #expect(try JSONDecoder().decode(Profile.self, from: data) == profile)
    }

    @Test
    func jsonInAStringIsWhatFoundationsCodersWriteAndRead() throws {
        let key = KVKey<Profile>("profile", bridge: .jsonText)
        let json = String(decoding: try JSONEncoder().encode(profile), as: UTF8.self)
        try store.setStoredValue(.string(json), for: "profile")
        #expect(try store.value(for: key) == profile)
        try store.set(key, value: profile)
        guard case .string(let text)? = try store.storedValue(for: "profile") else {
            Issue.record("no string")
            return
        }
        #expect(try JSONDecoder().decode(Profile.self, from: Data(text.utf8)) == profile)
    }

    @Test
    func jsonFragmentsAreRead() throws {
        // A URL and a date as other libraries keep them.
        try store.setStoredValue(#""https:\/\/example.com\/a""#, for: "url")
        let url = KVKey<URL>("url", bridge: .jsonText)
        #expect(try store.value(for: url)?.absoluteString == "https://example.com/a")
        try store.setStoredValue("0.25", for: "date")
        let date = KVKey<Date>("date", bridge: .jsonText)
        #expect(try store.value(for: date) == Date(timeIntervalSinceReferenceDate: 0.25))
        try store.setStoredValue(.data(Data("null".utf8)), for: "null")
        #expect(try store.value(for: KVKey<Int?>("null", bridge: KVBridge<Int?>.jsonData)) == nil)
    }

    @Test
    func eitherJSONFormReadsTheOther() throws {
        try store.set(KVKey<[Int]>("list", bridge: .jsonText), value: [1, 2])
        #expect(try store.value(for: KVKey<[Int]>("list", bridge: .jsonData)) == [1, 2])
        try store.set(KVKey<[Int]>("list", bridge: .jsonData), value: [3])
        #expect(try store.value(for: KVKey<[Int]>("list", bridge: .jsonText)) == [3])
    }

    @Test
    func equalValuesHaveEqualJSON() throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key\($0)", $0) })
        let key = KVKey<[String: Int]>("values", bridge: .jsonData)
        try store.set(key, value: values)
        let first = try store.storedValue(for: "values")
        var other: [String: Int] = [:]
        for (name, value) in values.sorted(by: { $0.key > $1.key }) { other[name] = value }
        try store.set(key, value: other)
        #expect(try store.storedValue(for: "values") == first)
    }

    @Test(arguments: ["", "{", "[1", "{\"name\":1}", "\u{0}", "nul"])
    func brokenJSONIsAnError(json: String) throws {
        let text = KVKey<Profile>("text", bridge: .jsonText)
        let data = KVKey<Profile>("data", bridge: .jsonData)
        try store.setStoredValue(.string(json), for: "text")
        try store.setStoredValue(.data(Data(json.utf8)), for: "data")
        #expect(throws: DecodingError.self) { try store.value(for: text) }
        #expect(throws: DecodingError.self) { try store.value(for: data) }
    }

    @Test
    func valueThatJSONCannotHoldIsRefusedAndTheOldOneStays() throws {
        let key = KVKey<Double>("real", bridge: .jsonData)
        try store.set(key, value: 1.5)
        #expect(throws: EncodingError.self) { try store.set(key, value: .infinity) }
        #expect(store.get(key) == 1.5)
    }

    @Test
    func arraysAndDictionariesOfBridgedElementsAreNative() throws {
        let list = KVKey<[Speed]>("list", bridge: .array(of: .rawValue))
        try store.set(list, value: [.slow, .fast])
        #expect(try store.storedValue(for: "list") == ["slow", "fast"])
        #expect(try store.value(for: list) == [.slow, .fast])
        let table = KVDefaultKey(
            "table",
            default: ["a": [Version(major: 1, minor: 0)]],
            bridge: .dictionary(of: .array(of: .lossless))
        )
        try store.update(table) { $0["b"] = [] }
        #expect(try store.storedValue(for: "table") == ["a": ["1.0"], "b": []])
        #expect(try store.value(for: table)["a"] == [Version(major: 1, minor: 0)])
    }

    @Test
    func elementThatCannotBeReadIsAnErrorWithItsPathAndIsNeverDropped() throws {
        let list = KVKey<[Speed]>("list", bridge: .array(of: .rawValue))
        let mixed: PropertyListValue = ["slow", "warp", "fast"]
        try store.setStoredValue(mixed, for: "list")
        let error = #expect(throws: DecodingError.self) { try store.value(for: list) }
        #expect(error?.path == "1")
        #expect(throws: DecodingError.self) { try store.update(list) { $0?.append(.fast) } }
        #expect(try store.storedValue(for: "list") == mixed)

        let table = KVKey<[String: [Speed]]>(
            "table",
            bridge: .dictionary(of: .array(of: .rawValue))
        )
        try store.setStoredValue(["x": ["slow", 1.5]], for: "table")
        let deep = #expect(throws: DecodingError.self) { try store.value(for: table) }
        #expect(deep?.path == "x/1")
        try store.setStoredValue("slow", for: "list")
        #expect(throws: DecodingError.self) { try store.value(for: list) }
        #expect(throws: EncodingError.self) {
            let reals = KVKey<[Double]>("reals", bridge: .array(of: .jsonData))
            try store.set(reals, value: [1, .nan])
        }
        #expect(store.get(KVKey<[Double]>("reals")) == nil)
    }

    @Test
    func nilRemovesAndNullReadsAsAbsent() throws {
        let key = KVKey<Speed?>("speed", bridge: .rawValue)
        let value: Speed? = store.get(key)
        #expect(value == nil)
        try store.set(key, value: .fast)
        #expect(try store.storedValue(for: "speed") == "fast")
        try store.set(key, value: nil)
        #expect(!store.contains(key))
        try store.setStoredValue("$null", for: "speed")
        #expect(try store.value(for: key) == nil)
        let plain = KVDefaultKey("speed", default: Speed.slow, bridge: .rawValue)
        #expect(try store.value(for: plain) == .slow)
    }

    @Test
    func defaultKeyOfAnOptionalHoldsAnExplicitNil() throws {
        let key = KVDefaultKey<Speed?>("speed", default: .slow, bridge: .rawValue)
        #expect(store.get(key) == .slow)
        try store.set(key, value: nil)
        #expect(try store.storedValue(for: "speed") == "$null")
        #expect(store.get(key) == nil)
        let bare = KVDefaultKey<Speed?>("speed", default: nil, bridge: .rawValue)
        try store.set(bare, value: nil)
        #expect(!store.contains(bare))
    }

    @Test
    func bridgeOfOnesOwnIsTwoFunctions() throws {
        let key = KVKey<Version>("version", bridge: .parts)
        try store.set(key, value: Version(major: 1, minor: 2))
        #expect(try store.storedValue(for: "version") == [1, 2])
        #expect(try store.value(for: key) == Version(major: 1, minor: 2))
        // Its functions serve another bridge, here one that leaves an old form as it is read.
        let moving = KVBridge<[Int]>(
            encode: { try PropertyListValue(encoding: $0) },
            decode: KVBridge<[Int]>.jsonText.decode
        )
        try store.setStoredValue("[1,2]", for: "list")
        let list = KVKey<[Int]>("list", bridge: moving)
        #expect(try store.value(for: list) == [1, 2])
        try store.set(list, value: [3])
        #expect(try store.storedValue(for: "list") == [3])
    }

    @Test
    func deepResultOfABridgeIsRefused() {
        let key = KVKey<Int>(
            "deep",
            bridge: KVBridge { count in
                (0..<count).reduce("bottom") { value, _ in [value] }
            } decode: { _ in
                0
            }
        )
        #expect(throws: EncodingError.self) { try store.set(key, value: 129) }
        #expect(throws: Never.self) { try store.set(key, value: 128) }
    }

    private func modify(_ speed: inout Speed) { speed = .fast }
}

extension KVBridge where Value == KVBridgeTests.Version {
    /// The parts of a version, as an array.
    static var parts: KVBridge {
        KVBridge { version in
            try PropertyListValue(encoding: [version.major, version.minor])
        } decode: { stored in
            let parts = try stored.decode([Int].self)
            return KVBridgeTests.Version(major: parts[0], minor: parts[1])
        }
    }
}
