import Foundation
import KVStore
import Testing

/// A stored value on its way through Foundation's coders.
private struct Bridge: Codable {
    var tree: PropertyListValue

    init(_ tree: PropertyListValue) { self.tree = tree }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            tree = .bool(value)
        } else if let value = try? container.decode(Date.self) {
            tree = .date(value)
        } else if let value = try? container.decode(Data.self) {
            tree = .data(value)
        } else if let value = try? container.decode(String.self) {
            tree = .string(value)
        } else if let value = try? container.decode([Bridge].self) {
            tree = .array(value.map(\.tree))
        } else if let value = try? container.decode([String: Bridge].self) {
            tree = .dictionary(value.mapValues(\.tree))
        } else if let value = try? container.decode(Int64.self) {
            tree = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            tree = .unsignedInteger(value)
        } else {
            tree = try .real(container.decode(Double.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch tree {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsignedInteger(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .array(let value): try container.encode(value.map(Bridge.init))
        case .dictionary(let value): try container.encode(value.mapValues(Bridge.init))
        }
    }
}

/// What one coder makes of a value, in a form that can be compared.
private func outcome<T>(_ body: () throws -> T) -> String {
    do {
        return try "\(body())"
    } catch let error as DecodingError {
        return "\(error.kind) at \(error.path)"
    } catch {
        return "\(error)"
    }
}

@Suite("Comparison with Foundation")
struct FoundationComparisonTests {
    @Test("Values have the shape that Foundation gives them")
    func shapes() throws {
        try compare(Point(x: 1, y: -2))
        try compare([Point(x: 1, y: -2), Point(x: 3, y: 4)])
        try compare(["a": [[1, 2], []], "b": [[.max, .min]]])
        try compare([1: "x", -2: "y"])
        try compare(Box(v: Box(v: Box(v: [0.5, -1e300]))))
        try compare(Optionals(x: 1, y: nil))
        try compare(Optionals())
        try compare([Empty()])
        try compare([Payload.x(1), .y])
        try compare([Theme.dark, .light])
        try compare([Level.two])
        try compare([NamedKey(name: "a"): true, NamedKey(name: "b"): false])
        try compare([1..<3, 4..<9])
        try compare(["date": Date(timeIntervalSinceReferenceDate: 1_000)])
        try compare(["data": Data([0, 255])])
        try compare(["u": UInt64.max])
        try compare([Single([Single("x")])])
        try compare(PassingOn(["x": PassingOn(1)]))
        try compare(Set([[1, 2]]))
        try compare(Everything())
    }

    private func compare<T: Codable & Equatable>(
        _ value: T,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let decoder = PropertyListDecoder()
        let ours = try PropertyListValue(encoding: value)
        let theirs = try decoder.decode(Bridge.self, from: encoder.encode(value)).tree
        #expect(ours == theirs, sourceLocation: sourceLocation)
        let crossed = try decoder.decode(T.self, from: encoder.encode(Bridge(ours)))
        #expect(crossed == value, sourceLocation: sourceLocation)
        #expect(try theirs.decode(T.self) == value, sourceLocation: sourceLocation)
    }

    @Test("What does not decode fails at the place where Foundation finds it")
    func failures() throws {
        try compare(["x": 1], Point.self)
        try compare(["x": 1, "y": "2"], Point.self)
        try compare(["x": [1], "y": 2], Point.self)
        try compare([["x": 1, "y": 2], ["x": 1]], [Point].self)
        try compare([["x": 1, "y": 2], 5], [Point].self)
        try compare(["a": [["v": "x"]]], [String: [Box<Int>]].self)
        try compare(["a": ["v": 0.5]], [String: Box<String>].self)
        try compare([["v": ["neon"]]], [Box<[Theme]>].self)
        try compare([1, 2, "x"], [Int].self)
        try compare([300], [UInt8].self)
        try compare([-1], [UInt].self)
        try compare([true], [Int].self)
        try compare(["x": [:]], [String: [Int]].self)
        try compare(["x": []], [String: [String: Int]].self)
        try compare([["z": ["_0": 1]]], [Payload].self)
        try compare([["x": ["_0": "1"]]], [Payload].self)
        try compare([1], ClosedRange<Int>.self)
        try compare(["x": "y"], [Int: String].self)
        try compare([["v": 1]], [Box<Date>].self)
        try compare([["v": "x"]], [Box<Data>].self)
    }

    private func compare<T: Decodable>(
        _ tree: PropertyListValue,
        _ type: T.Type,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let data = try PropertyListEncoder().encode(Bridge(tree))
        let ours = outcome { try tree.decode(type) }
        let theirs = outcome { try PropertyListDecoder().decode(type, from: data) }
        #expect(ours == theirs, sourceLocation: sourceLocation)
    }

    @Test("Random values come back equal, twice with the same tree")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let value = RandomValue.make(depth: 4, using: &generator)
            let tree = try PropertyListValue(encoding: value)
            let again = try tree.decode(RandomValue.self)
            #expect(again == value)
            #expect(try PropertyListValue(encoding: again) == tree)
            #expect(try tree.validated() == tree)
        }
    }

    @Test("Random doubles and dates keep their bits")
    func bits() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let double = Double(bitPattern: generator.next())
            let tree = try PropertyListValue(encoding: [double])
            #expect(try tree.decode([Double].self).first?.storedBits == double.storedBits)
            let date = Date(timeIntervalSinceReferenceDate: double)
            let dates = try PropertyListValue(encoding: [date])
            let back = try dates.decode([Date].self).first?.timeIntervalSinceReferenceDate
            #expect(back?.storedBits == (double == 0 ? 0.0 : double).storedBits)
        }
    }
}

private struct Everything: Codable, Equatable {
    var bool = true
    var int = -1
    var int8 = Int8.min
    var int16 = Int16.min
    var int32 = Int32.min
    var int64 = Int64.min
    var uint = UInt(1)
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64.max
    var float = Float(0.1)
    var double = 0.1
    var string = "é\n\u{1f600}"
    var date = Date(timeIntervalSinceReferenceDate: 5)
    var data = Data([1, 2, 3])
    var optional: Int8? = 5
    var list: [Theme?] = [.dark]
    var entries = ["a": ["b": [0.5]]]
}

private indirect enum RandomValue: Codable, Equatable {
    case int(Int), text(String), double(Double), bool(Bool), date(Date), data(Data)
    case url(URL), id(UUID), decimal(Decimal), none(Int?)
    case list([RandomValue?])
    case named([String: RandomValue]), keyed([Theme: RandomValue]), numbered([Int: RandomValue])
    case pairs([Point: RandomValue]), set(Set<Point>)

    static func make(depth: Int, using generator: inout some RandomNumberGenerator) -> RandomValue {
        let number = Int.random(in: .min ... .max, using: &generator)
        let texts = [
            "", "$null", "$$null", "$date", "é", "e\u{301}", "\u{feff}", "long text of words",
        ]
        let text = texts.randomElement(using: &generator) ?? ""
        switch Int.random(in: 0..<(depth > 0 ? 16 : 10), using: &generator) {
        case 0: return .int(number)
        case 1: return .text(text)
        case 2: return .double(Double(number) / 3)
        case 3: return .bool(number.isMultiple(of: 2))
        case 4: return .date(Date(timeIntervalSinceReferenceDate: Double(number) / 1e9))
        case 5: return .data(Data(text.utf8))
        case 6:
            return .url(
                URL(string: "d?x=\(number)", relativeTo: URL(string: "https://a.b"))
                    ?? .temporaryDirectory
            )
        case 7: return .id(UUID())
        case 8: return .decimal(Decimal(number) / 3)
        case 9: return .none(number.isMultiple(of: 2) ? nil : number)
        case 10:
            return .list((0..<4).map { $0 == 2 ? nil : make(depth: depth - 1, using: &generator) })
        case 11: return .named([text: make(depth: depth - 1, using: &generator)])
        case 12: return .keyed([.dark: make(depth: depth - 1, using: &generator)])
        case 13: return .numbered([number: make(depth: depth - 1, using: &generator)])
        case 14:
            return .pairs([
                Point(x: number, y: 0): make(depth: depth - 1, using: &generator),
                Point(x: 0, y: number): make(depth: depth - 1, using: &generator),
            ])
        default: return .set([Point(x: number, y: 1), Point(x: 1, y: number)])
        }
    }
}
