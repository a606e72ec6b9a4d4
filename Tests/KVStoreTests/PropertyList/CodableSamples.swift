#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum Theme: String, Codable { case light, dark, system }

enum Level: Int, Codable { case one = 1, two }

enum NullRaw: String, Codable { case null = "$null", other }

enum Payload: Codable, Equatable { case x(Int), y }

struct Point: Codable, Hashable { var x: Int, y: Int }

struct Empty: Codable, Equatable {}

struct Box<Value: Codable>: Codable { var v: Value }

extension Box: Equatable where Value: Equatable {}

extension Box: Hashable where Value: Hashable {}

struct Optionals: Codable, Equatable { var x: Int?, y: String? }

struct MyID: RawRepresentable, Codable, Hashable { var rawValue: String }

/// Has values that are not equal and yet have one raw value.
struct LooseID: RawRepresentable, Codable, Hashable {
    var rawValue: String
    var salt = 0

    init(rawValue: String) { self.rawValue = rawValue }

    static func == (lhs: LooseID, rhs: LooseID) -> Bool {
        lhs.rawValue == rhs.rawValue && lhs.salt == rhs.salt
    }

    func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}

/// A dictionary key that has text without being a raw value.
struct NamedKey: Codable, Hashable, CodingKeyRepresentable {
    var name: String

    var codingKey: any CodingKey { Key(stringValue: name) }

    init(name: String) { self.name = name }

    init?(codingKey: some CodingKey) { name = codingKey.stringValue }

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}

struct DataTag: Codable, Equatable {
    var data: String
    var other: Int?

    enum CodingKeys: String, CodingKey {
        case data = "$data"
        case other
    }
}

/// Hands its encoder on to the value, as type erasers do.
struct PassingOn<Value: Codable>: Codable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension PassingOn: Equatable where Value: Equatable {}

/// Writes its value through a single-value container.
struct Single<Value: Codable>: Codable {
    var value: Value

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Single: Equatable where Value: Equatable {}

extension Single: Hashable where Value: Hashable {}

/// Any number of arrays, each in the next, around nothing.
struct Nested: Codable, Equatable {
    var depth: Int

    init(depth: Int) { self.depth = depth }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        depth = container.isAtEnd ? 1 : try container.decode(Nested.self).depth + 1
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if depth > 1 { try container.encode(Nested(depth: depth - 1)) }
    }
}

/// Any number of dictionaries, each under the key `$date` of the next.
final class Chain: Codable {
    var next: Chain?

    init(depth: Int) { next = depth > 1 ? Chain(depth: depth - 1) : nil }

    enum CodingKeys: String, CodingKey { case next = "$date" }

    var depth: Int { (next?.depth ?? 0) + 1 }
}

/// A value whose single-value container is given the value again.
final class Cycle: Encodable {
    var next: Cycle?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(next ?? self)
    }
}
