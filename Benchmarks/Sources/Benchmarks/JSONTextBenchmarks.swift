import Foundation
import KVStore

/// Measures reading and writing stored trees as JSON text against Foundation's coders.
func jsonTextBenchmarks(_ harness: inout Harness) throws {
    for count in [100, 10_000] {
        let values = flatValues(count)
        let tree = PropertyListValue.dictionary(values)
        let text = tree.jsonText
        let data = Data(text.utf8)
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let scalars = values.compactMapValues(Scalar.init)
        let times = try harness.measure([
            .init("read") { consume(try PropertyListValue(jsonText: text)) },
            .init("JSONSerialization") { consume(try JSONSerialization.jsonObject(with: data)) },
            .init("JSONDecoder") { consume(try decoder.decode([String: Scalar].self, from: data)) },
            .init("write") { consume(tree.jsonText) },
            .init("JSONEncoder") { consume(try encoder.encode(scalars)) },
        ])
        let keys = "\(count) keys"
        harness.compare(
            "read \(keys) / JSONSerialization",
            times["read"],
            to: times["JSONSerialization"],
            goal: 0.35
        )
        harness.compare(
            "read \(keys) / JSONDecoder",
            times["read"],
            to: times["JSONDecoder"],
            goal: 0.2
        )
        harness.compare(
            "write \(keys), sorted / JSONEncoder",
            times["write"],
            to: times["JSONEncoder"],
            goal: 0.25
        )
    }
    harness.printTable("JSON text")
}

/// The values of a flat file of preferences: integers, strings, bools and reals in equal parts.
private func flatValues(_ count: Int) -> [String: PropertyListValue] {
    var values: [String: PropertyListValue] = [:]
    for index in 0..<count {
        switch index % 4 {
        case 0: values["settings.integer.\(index)"] = .integer(Int64(index) * 7919)
        case 1: values["settings.string.\(index)"] = .string("value number \(index)")
        case 2: values["settings.flag.\(index)"] = .bool(index % 8 == 2)
        default: values["settings.real.\(index)"] = .real(Double(index) * 1.37)
        }
    }
    return values
}

/// A scalar that Foundation's coders read and write without knowing its type.
private enum Scalar: Codable {
    case integer(Int64)
    case string(String)
    case bool(Bool)
    case real(Double)

    init?(_ value: PropertyListValue) {
        switch value {
        case .integer(let value): self = .integer(value)
        case .string(let value): self = .string(value)
        case .bool(let value): self = .bool(value)
        case .real(let value): self = .real(value)
        default: return nil
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        }
    }
}
