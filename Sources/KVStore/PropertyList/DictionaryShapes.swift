#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A set, whose elements are stored in a fixed order.
protocol SetShape {}

extension Set: SetShape {}

extension SetShape {
    static func sorted(_ elements: [PropertyListValue]) -> [PropertyListValue] {
        elements.sorted(by: PropertyListValue.precedes)
    }
}

/// How the keys of a type of dictionary are stored.
enum KeyForm {
    /// As the keys of a dictionary, each the text of its own stored form.
    case text, integer
    /// As half of the alternating pairs of an array.
    case pairs
}

/// A dictionary, which Swift encodes as alternating pairs unless its keys are strings, integers
/// or `CodingKeyRepresentable`.
protocol DictionaryShape {
    /// How the keys are stored if the dictionary encodes itself to an array.
    static var keyForm: KeyForm { get }
    /// Whether the keys are `Int`.
    static var hasIntegerKeys: Bool { get }
    var count: Int { get }
}

extension Dictionary: DictionaryShape {
    static var keyForm: KeyForm {
        if Key.self == UUID.self { return .text }
        guard let type = Key.self as? any RawRepresentable.Type else { return .pairs }
        return Dictionary.form(of: type)
    }

    private static func form<Raw: RawRepresentable>(of type: Raw.Type) -> KeyForm {
        if Raw.RawValue.self == String.self { return .text }
        return Raw.RawValue.self == Int.self ? .integer : .pairs
    }

    static var hasIntegerKeys: Bool { Key.self == Int.self }
}

extension ValueEncoder {
    /// Returns the dictionary that alternating keys and values stand for.
    ///
    /// If a key has another form than its type promises, because it encodes itself in its own way,
    /// the pairs stay pairs, in a fixed order.
    func folded(
        _ pairs: [PropertyListValue],
        as type: any DictionaryShape.Type
    ) throws -> PropertyListValue {
        let form = type.keyForm
        guard pairs.count.isMultiple(of: 2) else { return .array(pairs) }
        guard form != .pairs else { return .array(Self.sorted(pairs: pairs)) }
        var result: [String: PropertyListValue] = Dictionary(minimumCapacity: pairs.count / 2)
        for index in stride(from: 0, to: pairs.count, by: 2) {
            guard let name = pairs[index].keyText(form) else {
                return .array(Self.sorted(pairs: pairs))
            }
            let step = PathStep.key(PathKey(stringValue: name))
            guard name.utf8.count <= PropertyListValue.maximumKeyLength else {
                throw invalid(pairs[index], "A key is too long.", at: step)
            }
            guard result.updateValue(pairs[index + 1], forKey: name) == nil else {
                throw invalid(pairs[index], "Two keys of a dictionary are stored alike.", at: step)
            }
        }
        if result.count == 1, let name = result.keys.first { try checkOnlyKey(name, in: result) }
        return .dictionary(result)
    }

    private static func sorted(pairs: [PropertyListValue]) -> [PropertyListValue] {
        stride(from: 0, to: pairs.count, by: 2)
            .map { (key: pairs[$0], value: pairs[$0 + 1]) }
            .sorted { lhs, rhs in
                if PropertyListValue.precedes(lhs.key, rhs.key) { return true }
                if PropertyListValue.precedes(rhs.key, lhs.key) { return false }
                return PropertyListValue.precedes(lhs.value, rhs.value)
            }
            .flatMap { [$0.key, $0.value] }
    }
}

extension PropertyListValue {
    /// The key of a dictionary that stands for an encoded key, if it has the expected form.
    fileprivate func keyText(_ form: KeyForm) -> String? {
        switch (form, self) {
        case (.text, .string): text
        case (.integer, .integer(let integer)): String(integer)
        default: nil
        }
    }

    /// Returns the stored form of a key that a dictionary's key stands for, or nil if none does.
    init?(keyText name: String, _ form: KeyForm) {
        switch form {
        case .text:
            self = .text(name)
        case .integer:
            guard let integer = Int64(canonical: name) else { return nil }
            self = .integer(integer)
        case .pairs:
            return nil
        }
    }
}

extension Int64 {
    /// Creates the integer whose description a text is; `01` and `+1` are no integer's.
    init?(canonical text: String) {
        guard let integer = Int64(text), String(integer).utf8Equals(text) else { return nil }
        self = integer
    }
}
