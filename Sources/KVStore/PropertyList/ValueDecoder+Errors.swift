extension ValueDecoder {
    func context(_ reason: String, at step: PathStep = .none) -> DecodingError.Context {
        var path = codingPath
        if let key = step.codingKey { path.append(key) }
        return DecodingError.Context(codingPath: path, debugDescription: reason)
    }

    func unreadable(
        _ stored: PropertyListValue,
        as type: Any.Type,
        at step: PathStep = .none
    ) -> DecodingError {
        var path = codingPath
        if let key = step.codingKey { path.append(key) }
        return stored.unreadable(as: type, at: path)
    }
}

extension PropertyListValue {
    /// Returns the error for a stored value that does not read as a type.
    ///
    /// Its description names kinds and types and never the value, which may be private.
    func unreadable(as type: Any.Type, at path: [any CodingKey]) -> DecodingError {
        if isNull {
            return .valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: path,
                    debugDescription: "Expected \(type), found null."
                )
            )
        }
        let context = DecodingError.Context(
            codingPath: path,
            debugDescription: "The stored \(kindName) does not read as \(type)."
        )
        return reads(asKindOf: type) ? .dataCorrupted(context) : .typeMismatch(type, context)
    }

    /// Whether other values of this kind read as the type, so that it is this value's fault.
    private func reads(asKindOf type: Any.Type) -> Bool {
        switch self {
        case .integer, .unsignedInteger, .real:
            PropertyListValue.readsNumbers.contains(ObjectIdentifier(type))
        case .string:
            PropertyListValue.readsStrings.contains(ObjectIdentifier(type))
        default:
            false
        }
    }

    /// What the kind of this value is called in the description of an error.
    var kindName: String {
        switch self {
        case .string: "string"
        case .integer, .unsignedInteger: "integer"
        case .real: "real"
        case .bool: "bool"
        case .data: "data"
        case .date: "date"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}
