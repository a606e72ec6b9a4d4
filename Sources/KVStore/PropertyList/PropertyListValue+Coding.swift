extension PropertyListValue {
    /// Encodes a value to the tree that stores keep.
    ///
    /// Structs become dictionaries, arrays arrays, raw-value enums their raw value. `URL`, `UUID`
    /// and `Decimal` become strings, `Date` and `Data` nodes of their own. A set, and a dictionary
    /// whose keys have no text, become arrays in a fixed order, so equal values have equal trees.
    /// Nil becomes the string `$null`.
    ///
    /// ```swift
    /// struct Window: Codable { var title: String, size: [Int] }
    /// let tree = try PropertyListValue(encoding: Window(title: "Notes", size: [640, 480]))
    /// // ["title": "Notes", "size": [640, 480]]
    /// ```
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: What the value's own `encode(to:)` throws; `EncodingError.invalidValue`, with its
    ///   coding path, if containers nest deeper than 128, if an integer does not fit 64 bits, if a
    ///   key is longer than 4,096 bytes, if a dictionary's only key begins with `$kv.`, or if the
    ///   value encodes nothing or asks for two kinds of container.
    @inlinable
    public init<T: Encodable>(encoding value: T) throws {
        self = try PropertyListValue(scalar: value) ?? PropertyListValue.encoding(value)
    }

    /// Creates the tree of a value of one of the four commonest types; nil for any other.
    ///
    /// A client's compiler knows the type and keeps one branch or none.
    @inlinable
    @inline(__always)
    init?<T>(scalar value: T) {
        if T.self == Int.self {
            self = .integer(Int64(PropertyListValue.same(value, as: Int.self)))
        } else if T.self == Bool.self {
            self = .bool(PropertyListValue.same(value, as: Bool.self))
        } else if T.self == Double.self {
            self = .real(PropertyListValue.same(value, as: Double.self))
        } else if T.self == String.self {
            self = .text(PropertyListValue.same(value, as: String.self))
        } else {
            return nil
        }
    }

    @usableFromInline
    static func encoding<T: Encodable>(_ value: T) throws -> PropertyListValue {
        try leaf(value) ?? ValueEncoder.encode(value)
    }

    /// Decodes a value from this tree.
    ///
    /// Numbers read one another where they fit, and a fraction is cut off toward zero; 0 and 1
    /// read as bools, and no bool reads as a number. A number or a bool reads as a `String` only here,
    /// not inside arrays or dictionaries.
    ///
    /// ```swift
    /// let tree: PropertyListValue = ["title": "Notes", "size": [640, 480.0]]
    /// let window = try tree.decode(Window.self)
    /// ```
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The value; nil for an optional type if a null is stored.
    /// - Throws: `DecodingError`, with the coding path of what could not be read, and what the
    ///   type's own `init(from:)` throws.
    @inlinable
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try scalar(as: type) ?? decoding(type)
    }

    /// Returns the value as one of the four commonest types if it is stored as just that; else nil.
    @inlinable
    @inline(__always)
    func scalar<T>(as type: T.Type) -> T? {
        if T.self == Int.self {
            if case .integer(let integer) = self, let value = Int(exactly: integer) {
                return PropertyListValue.same(value, as: T.self)
            }
        } else if T.self == Bool.self {
            if case .bool(let value) = self { return PropertyListValue.same(value, as: T.self) }
        } else if T.self == Double.self {
            if case .real(let value) = self { return PropertyListValue.same(value, as: T.self) }
        } else if T.self == String.self {
            if case .string(let value) = self, value.utf8.first != 0x24 {
                return PropertyListValue.same(value, as: T.self)
            }
        }
        return nil
    }

    @usableFromInline
    func decoding<T: Decodable>(_ type: T.Type) throws -> T {
        if let kind = LeafKind(type) {
            do {
                return try leaf(type, kind)
            } catch .unreadable {
                guard T.self == String.self, let text = scalarText else {
                    throw unreadable(as: type, at: [])
                }
                return PropertyListValue.same(text, as: T.self)
            } catch .leftToType {}
        }
        if T.self == String?.self, let text = scalarText {
            return PropertyListValue.same(Optional(text), as: T.self)
        }
        return try ValueDecoder.decode(type, from: self)
    }
}
