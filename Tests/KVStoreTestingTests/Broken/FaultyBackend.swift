import KVStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A backend with one fault in what it keeps or how it finds it.
final class FaultyBackend: KVBackend {
    enum Fault: String, CaseIterable, Sendable {
        /// Has no fault, to show that the rules fail because of the faults.
        case none
        /// Stores dots as underscores.
        case foldsDots
        /// Stores `a.b` as `b` within `a`.
        case nestsDots
        /// Does not tell upper from lower case.
        case foldsCase
        /// Tells canonically equal spellings apart.
        case separatesSpellings
        /// Trims blanks from names.
        case trimsNames
        /// Stores a bool as 1 or 0.
        case storesBoolsAsNumbers
        /// Stores large integers as reals.
        case storesLargeIntegersAsReals
        /// Loses the sign of zero.
        case losesNegativeZero
        /// Stores data as text.
        case storesDataAsText
        /// Stores dates to the second.
        case cutsDates
        /// Loses what follows a NUL in a string.
        case cutsStringsAtNUL
        /// Normalizes strings.
        case normalizesStrings
        /// Leaves nulls out of arrays.
        case dropsNulls
        /// Takes dictionaries that look like marks for what they mark.
        case interpretsMarks
        /// Puts a placeholder into an empty medium that is read, until something is written.
        case createsOnReading
        /// Lists the keys of another domain as long as there are none of its own.
        case listsForeignKeys
        /// Loses what it does not understand when it is opened again.
        case losesDataOnReopening
        /// Merges a dictionary into the one that was there.
        case mergesDictionaries
        /// Cannot hold more than 64 KB in a value.
        case cutsLargeValues
    }

    private struct Name: Hashable {
        let bytes: [UInt8]

        var string: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Keyed by bytes, so that spellings can be told apart.
    private let values: Mutex<[Name: PropertyListValue]>
    private let fault: Fault

    init(_ fault: Fault) {
        self.fault = fault
        values = Mutex([:])
    }

    /// Opens the medium of another backend again.
    init(reopening other: FaultyBackend) {
        fault = other.fault
        let kept = other.values.withLock { $0 }
        values = Mutex(
            fault == .losesDataOnReopening
                ? kept.filter { if case .data = $0.value { false } else { true } } : kept
        )
    }

    func read(_ name: String) -> PropertyListValue? {
        let key = stored(name)
        return values.withLock { values in
            if fault == .createsOnReading, values.isEmpty { values[placeholder] = 1 }
            if fault == .nestsDots, let (outer, inner) = split(name),
                case .dictionary(let dictionary)? = values[outer]
            {
                return dictionary[inner]
            }
            return values[key]
        }
    }

    func readAll() -> [String: PropertyListValue] {
        let values = values.withLock { $0 }
        var all: [String: PropertyListValue] = [:]
        for (name, value) in values { all[name.string] = value }
        if fault == .listsForeignKeys, all.isEmpty { all["AppleLanguages"] = ["en"] }
        return all
    }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) -> Bool {
        values.withLock { values in
            values[placeholder] = nil
            for (name, change) in changes {
                let key = stored(name)
                guard let change else {
                    values[key] = nil
                    continue
                }
                let value = stored(change)
                if fault == .nestsDots, let (outer, inner) = split(name) {
                    var dictionary: [String: PropertyListValue] = [:]
                    if case .dictionary(let old)? = values[outer] { dictionary = old }
                    dictionary[inner] = value
                    values[outer] = .dictionary(dictionary)
                } else if fault == .mergesDictionaries, case .dictionary(let new) = value,
                    case .dictionary(let old)? = values[key]
                {
                    values[key] = .dictionary(old.merging(new) { $1 })
                } else {
                    values[key] = value
                }
            }
            return true
        }
    }

    func flush() {}

    private let placeholder = Name(bytes: Array("placeholder".utf8))

    private func stored(_ name: String) -> Name {
        let name = fault == .separatesSpellings ? name : canonical(name)
        let bytes: [UInt8]
        switch fault {
        case .foldsDots: bytes = name.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "_") : $0 }
        case .foldsCase: bytes = Array(name.lowercased().utf8)
        case .trimsNames: bytes = Array(name.replacing(/^ +| +$/, with: "").utf8)
        default: bytes = Array(name.utf8)
        }
        return Name(bytes: bytes)
    }

    /// The rules know one pair of spellings.
    private func canonical(_ name: String) -> String {
        name == "caf\u{E9}" ? "caf\u{E9}" : name
    }

    private func split(_ name: String) -> (Name, String)? {
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return nil }
        let inner = name[name.index(after: dot)...]
        guard !inner.isEmpty else { return nil }
        return (Name(bytes: Array(name[..<dot].utf8)), String(inner))
    }

    private func stored(_ value: PropertyListValue) -> PropertyListValue {
        switch (fault, value) {
        case (.storesBoolsAsNumbers, .bool(let bool)): return .integer(bool ? 1 : 0)
        case (.storesLargeIntegersAsReals, .integer(let integer))
        where integer.magnitude > 1 << 53:
            return .real(Double(integer))
        case (.storesLargeIntegersAsReals, .unsignedInteger(let integer)):
            return .real(Double(integer))
        case (.losesNegativeZero, .real(let real)) where real == 0: return .real(0)
        case (.storesDataAsText, .data(let data)): return .string(data.base64EncodedString())
        case (.cutsDates, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.cutsStringsAtNUL, .string(let string)):
            return .string(String(string.unicodeScalars.prefix { $0 != "\u{0}" }))
        case (.normalizesStrings, .string(let string)):
            return .string(string == "caf\u{E9}" ? "caf\u{E9}" : string)
        case (.cutsLargeValues, .string(let string)) where string.utf8.count > 65_536:
            return .string(String(string.prefix(1000)))
        case (.interpretsMarks, .dictionary(let dictionary)) where dictionary.count == 1:
            if let marked = dictionary["$date"] { return marked }
        case (.dropsNulls, .array(let array)):
            return .array(array.filter { $0 != "$null" }.map(stored))
        default:
            break
        }
        switch value {
        case .array(let array): return .array(array.map(stored))
        case .dictionary(let dictionary): return .dictionary(dictionary.mapValues(stored))
        default: return value
        }
    }
}
