import Foundation
import KVStore

/// Times of another package's coder into a tree of the same kind, and of Foundation's JSON coders
/// in the same run, in nanoseconds.
///
/// That package is not a dependency, so its time here is estimated: what the JSON coder takes now,
/// times the ratio of the two then.
private struct Neighbour {
    let encode, encodeJSON, decode, decodeJSON: Double

    static let int = Neighbour(encode: 187, encodeJSON: 894, decode: 122, decodeJSON: 1_321)
    static let string = Neighbour(encode: 216, encodeJSON: 1_283, decode: 150, decodeJSON: 1_474)
    static let rawValue = Neighbour(encode: 201, encodeJSON: 872, decode: 255, decodeJSON: 1_392)
    static let structure = Neighbour(
        encode: 4_670,
        encodeJSON: 10_800,
        decode: 3_270,
        decodeJSON: 12_700
    )
    static let structures = Neighbour(
        encode: 4_820_000,
        encodeJSON: 9_700_000,
        decode: 3_680_000,
        decodeJSON: 11_300_000
    )
}

private let note = "neighbour*: estimated as JSON now x (neighbour / JSON) of a run that had both"

/// Wraps a scalar for the coders that take none at the top.
private struct Wrapped<Value: Codable>: Codable { var value: Value }

func codecBenchmarks(_ harness: inout Harness) throws {
    try scalars(&harness)
    try structs(&harness)
    try settings(&harness)
}

private func scalars(_ harness: inout Harness) throws {
    try scalar(&harness, "Int", 12_345, .int)
    try scalar(&harness, "String", "a string of text", .string)
    try scalar(&harness, "enum: String", Theme.dark, .rawValue, goal: nil)
    try scalar(&harness, "[Int] of 10", Array(1...10), nil)
    try specialised(&harness)
    harness.printTable("Scalars, the type unknown to the compiler", notes: [note])
}

/// Compares the coders where the caller's type is not known when the code is compiled.
private func scalar<T: Codable & Equatable>(
    _ harness: inout Harness,
    _ name: String,
    _ value: T,
    _ neighbour: Neighbour?,
    goal: Double? = 0.5
) throws {
    let unknown: any Encodable = opaque(value)
    let type: any Decodable.Type = opaque(T.self)
    let tree = try PropertyListValue(encoding: value)
    let (jsonEncoder, jsonDecoder) = (JSONEncoder(), JSONDecoder())
    let (listEncoder, listDecoder) = (PropertyListEncoder(), PropertyListDecoder())
    listEncoder.outputFormat = .binary
    let json = try jsonEncoder.encode(value)
    let list = try listEncoder.encode(Wrapped(value: value))
    let encode = try harness.measure([
        .init("ours") { try consume(encoded(unknown)) },
        .init("floor") { try value.encode(to: NullEncoder()) },
        .init("json") { try consume(jsonEncoder.encode(value)) },
        .init("list") { try consume(listEncoder.encode(Wrapped(value: value))) },
    ])
    let decode = try harness.measure([
        .init("ours") { try type.read(tree) },
        .init("json") { try consume(jsonDecoder.decode(T.self, from: json)) },
        .init("list") { try consume(listDecoder.decode(Wrapped<T>.self, from: list)) },
    ])
    if let neighbour, let json = encode["json"] {
        harness.compare(
            "encode \(name) / neighbour*",
            encode["ours"],
            to: json * neighbour.encode / neighbour.encodeJSON,
            goal: goal
        )
    }
    harness.compare("encode \(name) / JSON", encode["ours"], to: encode["json"])
    harness.compare("encode \(name) / Foundation plist", encode["ours"], to: encode["list"])
    harness.compare("encode \(name) / Codable alone", encode["ours"], to: encode["floor"])
    if let neighbour, let json = decode["json"] {
        harness.compare(
            "decode \(name) / neighbour*",
            decode["ours"],
            to: json * neighbour.decode / neighbour.decodeJSON,
            goal: goal
        )
    }
    harness.compare("decode \(name) / JSON", decode["ours"], to: decode["json"])
    harness.compare("decode \(name) / Foundation plist", decode["ours"], to: decode["list"])
}

@inline(never)
private func encoded(_ value: any Encodable) throws -> PropertyListValue {
    try PropertyListValue(encoding: value)
}

extension Decodable {
    /// Decodes where the compiler does not know the type, because it is called on a metatype.
    fileprivate static func read(_ tree: PropertyListValue) throws {
        try consume(tree.decode(Self.self))
    }
}

/// Compares the coder, where the type is known, with writing the case of the tree by hand.
private func specialised(_ harness: inout Harness) throws {
    let numbers = (0..<1_000).map { opaque($0) }
    let trees = numbers.map { PropertyListValue.integer(Int64($0)) }
    let texts = numbers.map { "text number \($0)" }
    let strings = texts.map(PropertyListValue.string)
    let times = try harness.measure(
        operations: 1_000,
        [
            .init("encode") {
                for number in numbers { try consume(PropertyListValue(encoding: number)) }
            },
            .init("by hand") {
                for number in numbers { consume(PropertyListValue.integer(Int64(number))) }
            },
            .init("decode") { for tree in trees { try consume(tree.decode(Int.self)) } },
            .init("match") {
                for tree in trees { if case .integer(let value) = tree { consume(Int(value)) } }
            },
            .init("encode text") {
                for text in texts { try consume(PropertyListValue(encoding: text)) }
            },
            .init("text by hand") { for text in texts { consume(PropertyListValue.string(text)) } },
            .init("decode text") { for tree in strings { try consume(tree.decode(String.self)) } },
            .init("match text") {
                for tree in strings { if case .string(let value) = tree { consume(value) } }
            },
        ]
    )
    harness.compare("known type: encode Int / by hand", times["encode"], to: times["by hand"])
    harness.compare("known type: decode Int / by hand", times["decode"], to: times["match"])
    harness.compare(
        "known type: encode String / by hand",
        times["encode text"],
        to: times["text by hand"]
    )
    harness.compare(
        "known type: decode String / by hand",
        times["decode text"],
        to: times["match text"]
    )
}

private func structs(_ harness: inout Harness) throws {
    let one = opaque(Profile())
    let many = (0..<1_000).map { Profile(identifier: $0) }
    try structure(&harness, "10 scalar fields", one, .structure) {
        consume($0.handWritten())
    } read: {
        consume(Profile(handReading: $0))
    }
    try structure(&harness, "1000 structs", many, .structures) { values in
        consume(PropertyListValue.array(values.map { $0.handWritten() }))
    } read: { tree in
        guard case .array(let elements) = tree else { return }
        consume(elements.map { Profile(handReading: $0) })
    }
    let mixed = opaque(Account())
    try structure(&harness, "10 mixed fields", mixed, .structure) {
        consume($0.handWritten())
    } read: {
        consume(Account(handReading: $0))
    }
    harness.printTable("Structs", notes: [note])
}

private func settings(_ harness: inout Harness) throws {
    try structure(&harness, "settings", opaque(Settings()), nil)
    harness.printTable("A struct with enums, optionals, arrays, a dictionary and a struct inside")
}

private func structure<T: Codable & Equatable>(
    _ harness: inout Harness,
    _ name: String,
    _ value: T,
    _ neighbour: Neighbour?,
    write: ((T) -> Void)? = nil,
    read: ((PropertyListValue) -> Void)? = nil
) throws {
    let tree = try PropertyListValue(encoding: value)
    guard try tree.decode(T.self) == value else { return print("\(name) does not come back equal") }
    let (jsonEncoder, jsonDecoder) = (JSONEncoder(), JSONDecoder())
    let (listEncoder, listDecoder) = (PropertyListEncoder(), PropertyListDecoder())
    listEncoder.outputFormat = .binary
    let json = try jsonEncoder.encode(value)
    let list = try listEncoder.encode(value)
    var encode = try harness.measure([
        .init("ours") { try consume(PropertyListValue(encoding: value)) },
        .init("by hand") { write?(value) },
        .init("floor") { try value.encode(to: NullEncoder()) },
        .init("json") { try consume(jsonEncoder.encode(value)) },
        .init("list") { try consume(listEncoder.encode(value)) },
    ])
    var decode = try harness.measure([
        .init("ours") { try consume(tree.decode(T.self)) },
        .init("by hand") { read?(tree) },
        .init("json") { try consume(jsonDecoder.decode(T.self, from: json)) },
        .init("list") { try consume(listDecoder.decode(T.self, from: list)) },
    ])
    if write == nil { encode["by hand"] = nil }
    if read == nil { decode["by hand"] = nil }
    if let neighbour, let json = encode["json"] {
        harness.compare(
            "encode \(name) / neighbour*",
            encode["ours"],
            to: json * neighbour.encode / neighbour.encodeJSON,
            goal: 0.5
        )
    }
    harness.compare("encode \(name) / JSON", encode["ours"], to: encode["json"], goal: 0.2)
    harness.compare("encode \(name) / by hand", encode["ours"], to: encode["by hand"], goal: 3)
    // No coder into this tree can be quicker than this, whatever the goals say.
    harness.compare("(by hand \(name) / JSON)", encode["by hand"], to: encode["json"])
    harness.compare(
        "encode \(name) / Foundation plist",
        encode["ours"],
        to: encode["list"],
        goal: 0.15
    )
    harness.compare("encode \(name) / Codable alone", encode["ours"], to: encode["floor"])
    if let neighbour, let json = decode["json"] {
        harness.compare(
            "decode \(name) / neighbour*",
            decode["ours"],
            to: json * neighbour.decode / neighbour.decodeJSON,
            goal: 0.6
        )
    }
    harness.compare("decode \(name) / JSON", decode["ours"], to: decode["json"], goal: 0.2)
    harness.compare("decode \(name) / by hand", decode["ours"], to: decode["by hand"], goal: 4.5)
    harness.compare(
        "decode \(name) / Foundation plist",
        decode["ours"],
        to: decode["list"],
        goal: 0.15
    )
}
