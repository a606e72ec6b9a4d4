#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KVBridge where Value: RawRepresentable, Value.RawValue: Codable {
    /// Stores the raw value, for types that are not `Codable` or encode something else.
    ///
    /// A raw value for which the type has no value is an error.
    public static var rawValue: KVBridge {
        KVBridge { value in
            try PropertyListValue(encoding: value.rawValue)
        } decode: { stored in
            let rawValue = try stored.decode(Value.RawValue.self)
            guard let value = Value(rawValue: rawValue) else {
                throw unreadable("The stored raw value is none of \(Value.self).")
            }
            return value
        }
    }
}

extension KVBridge where Value: LosslessStringConvertible {
    /// Stores the description, a string from which the type makes the same value again.
    public static var lossless: KVBridge {
        KVBridge { value in
            .text(value.description)
        } decode: { stored in
            guard let value = try Value(stored.decode(String.self)) else {
                throw unreadable("The stored string is no description of \(Value.self).")
            }
            return value
        }
    }
}

extension KVBridge where Value: Codable {
    /// Stores data with the JSON that Foundation's `JSONEncoder` makes, with its keys sorted.
    ///
    /// It is the form in which many programs keep a `Codable` value in `UserDefaults`. Text that
    /// holds the JSON is read as well. Dates and data are as an encoder without settings writes
    /// them: seconds since 2001, and Base64.
    public static var jsonData: KVBridge {
        KVBridge { value in
            .data(try json(of: value))
        } decode: { stored in
            try fromJSON(stored)
        }
    }

    /// Stores a string with the JSON that Foundation's `JSONEncoder` makes, with its keys sorted.
    ///
    /// Data that holds the JSON is read as well; see ``jsonData``.
    public static var jsonText: KVBridge {
        KVBridge { value in
            .text(String(decoding: try json(of: value), as: UTF8.self))
        } decode: { stored in
            try fromJSON(stored)
        }
    }

    private static func json(of value: Value) throws -> Data {
        let encoder = JSONEncoder()
        // In any other order, equal values would differ as data, which counts as a change.
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    private static func fromJSON(_ stored: PropertyListValue) throws -> Value {
        let json =
            switch stored {
            case .data(let data): data
            default: Data(try stored.decode(String.self).utf8)
            }
        return try JSONDecoder().decode(Value.self, from: json)
    }
}

extension KVBridge {
    /// Returns the error for a stored value that is of a readable kind and cannot be read.
    ///
    /// - Parameter reason: What is wrong, without the stored value, which may be private.
    /// - Returns: The error.
    package static func unreadable(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: reason))
    }
}
