import Foundation
import KVStore

/// Measures reading and writing a store's file against Foundation's JSON coders.
func jsonTextBenchmarks(_ harness: inout Harness) {
    for count in [100, 10_000] {
        let values = flatValues(count)
        let text = JSONText.text(of: values)
        let data = Data(text)
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let scalars = values.compactMapValues(Scalar.init)
        // A small file is read often enough for the clock.
        let rounds = max(1, 2000 / count)

        harness.compare(
            name: "read a file of \(count) keys",
            goal: 0.35,
            ours: { for _ in 0..<rounds { keep(try? JSONText.values(from: text)) } },
            baseline: {
                for _ in 0..<rounds { keep(try? JSONSerialization.jsonObject(with: data)) }
            },
            baselineName: "JSONSerialization"
        )
        harness.compare(
            name: "read a file of \(count) keys",
            goal: 0.2,
            ours: { for _ in 0..<rounds { keep(try? JSONText.values(from: text)) } },
            baseline: {
                for _ in 0..<rounds {
                    keep(try? decoder.decode([String: Scalar].self, from: data))
                }
            },
            baselineName: "JSONDecoder"
        )
        harness.compare(
            name: "write a file of \(count) keys, sorted and indented",
            goal: 0.25,
            ours: { for _ in 0..<rounds { keep(JSONText.text(of: values)) } },
            baseline: { for _ in 0..<rounds { keep(try? encoder.encode(scalars)) } },
            baselineName: "JSONEncoder"
        )
    }
    let dates = (0..<1000).map { 700_000_000 + Double($0) * 123_456.789 }
    let texts = dates.compactMap { DateText.text(of: $0) }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    harness.compare(
        name: "write 1000 exact dates",
        goal: nil,
        ours: { for date in dates { keep(DateText.text(of: date)) } },
        baseline: {
            for date in dates { keep(style.format(Date(timeIntervalSinceReferenceDate: date))) }
        },
        baselineName: "ISO8601FormatStyle, to milliseconds"
    )
    harness.compare(
        name: "read 1000 exact dates",
        goal: nil,
        ours: { for text in texts { keep(DateText.seconds(of: text)) } },
        baseline: { for text in texts { keep(try? style.parse(text)) } },
        baselineName: "ISO8601FormatStyle, to milliseconds"
    )
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

/// Keeps the optimizer from dropping a result.
@inline(never)
private func keep<Value>(_ value: Value) {}

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
