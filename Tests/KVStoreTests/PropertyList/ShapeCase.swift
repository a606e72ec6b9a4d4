import KVStore
import Testing

/// One row of a table of values and their stored shapes; `vector` is its number in the table.
struct ShapeCase: Sendable, CustomTestStringConvertible {
    let vector: Int
    let name: String
    let check: @Sendable () throws -> Void

    var testDescription: String { "\(vector): \(name)" }

    /// The value is stored as the tree, and the tree reads as the value.
    static func stored<T: Codable & Equatable & SendableMetatype>(
        _ vector: Int,
        _ name: String,
        _ value: @autoclosure @escaping @Sendable () -> T,
        _ tree: PropertyListValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ShapeCase {
        ShapeCase(vector: vector, name: name) {
            let value = value()
            let encoded = try PropertyListValue(encoding: value)
            #expect(encoded == tree, sourceLocation: sourceLocation)
            #expect(try encoded.decode(T.self) == value, sourceLocation: sourceLocation)
            #expect(try tree.decode(T.self) == value, sourceLocation: sourceLocation)
        }
    }

    /// The value is stored as the tree.
    static func written<T: Encodable & SendableMetatype>(
        _ vector: Int,
        _ name: String,
        _ value: @autoclosure @escaping @Sendable () -> T,
        _ tree: PropertyListValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ShapeCase {
        ShapeCase(vector: vector, name: name) {
            let encoded = try PropertyListValue(encoding: value())
            #expect(encoded == tree, sourceLocation: sourceLocation)
        }
    }

    /// The tree reads as the value.
    static func read<T: Decodable & Equatable & SendableMetatype>(
        _ vector: Int,
        _ name: String,
        _ tree: PropertyListValue,
        _ value: @autoclosure @escaping @Sendable () -> T,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ShapeCase {
        ShapeCase(vector: vector, name: name) {
            let decoded = try tree.decode(T.self)
            #expect(decoded == value(), sourceLocation: sourceLocation)
        }
    }

    /// The value is refused with an error that names the path.
    static func refused<T: Encodable & SendableMetatype>(
        _ vector: Int,
        _ name: String,
        _ value: @autoclosure @escaping @Sendable () -> T,
        at path: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ShapeCase {
        ShapeCase(vector: vector, name: name) {
            let value = value()
            let error = #expect(throws: EncodingError.self, sourceLocation: sourceLocation) {
                try PropertyListValue(encoding: value)
            }
            #expect(error?.path == path, sourceLocation: sourceLocation)
        }
    }

    /// The tree does not read as the type, with an error that names the path.
    static func unreadable<T: Decodable & SendableMetatype>(
        _ vector: Int,
        _ name: String,
        _ tree: PropertyListValue,
        as type: T.Type,
        at path: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> ShapeCase {
        ShapeCase(vector: vector, name: name) {
            let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) {
                try tree.decode(T.self)
            }
            #expect(error?.path == path, sourceLocation: sourceLocation)
        }
    }
}

extension EncodingError {
    /// The coding path as text: keys and positions with slashes between.
    var path: String {
        switch self {
        case .invalidValue(_, let context): context.path
        @unknown default: "unknown"
        }
    }
}

extension EncodingError.Context {
    var path: String { codingPath.text }
}

extension DecodingError {
    /// The coding path as text, the missing key at its end.
    var path: String {
        switch self {
        case .dataCorrupted(let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            context.codingPath.text
        case .keyNotFound(let key, let context): (context.codingPath + [key]).text
        @unknown default: "unknown"
        }
    }

    /// Which of the four errors this is.
    var kind: String {
        switch self {
        case .dataCorrupted: "dataCorrupted"
        case .typeMismatch: "typeMismatch"
        case .valueNotFound: "valueNotFound"
        case .keyNotFound: "keyNotFound"
        @unknown default: "unknown"
        }
    }
}

extension [any CodingKey] {
    var text: String {
        map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
    }
}
