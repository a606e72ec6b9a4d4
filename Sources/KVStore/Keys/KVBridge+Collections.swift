extension KVBridge {
    /// Stores an array whose elements have a form of their own.
    ///
    /// An element that cannot be read makes the array unreadable; the error's coding path begins
    /// with its position. None is ever left out.
    ///
    /// - Parameter element: The form of an element.
    /// - Returns: The form of the array.
    public static func array<Element>(of element: KVBridge<Element>) -> KVBridge
    where Value == [Element] {
        KVBridge { value in
            .array(
                try value.enumerated().map { index, value in
                    try at(PathKey(index: index)) { try element.encode(value) }
                }
            )
        } decode: { stored in
            guard case .array(let elements) = stored else {
                throw stored.unreadable(as: Value.self, at: [])
            }
            return try elements.enumerated().map { index, stored in
                try at(PathKey(index: index)) { try element.decode(stored) }
            }
        }
    }

    /// Stores a dictionary with string keys whose values have a form of their own.
    ///
    /// A value that cannot be read makes the dictionary unreadable; the error's coding path begins
    /// with its key. None is ever left out.
    ///
    /// - Parameter element: The form of a value.
    /// - Returns: The form of the dictionary.
    public static func dictionary<Element>(of element: KVBridge<Element>) -> KVBridge
    where Value == [String: Element] {
        KVBridge { value in
            .dictionary(
                Dictionary(
                    uniqueKeysWithValues: try value.map { key, value in
                        (key, try at(PathKey(stringValue: key)) { try element.encode(value) })
                    }
                )
            )
        } decode: { stored in
            guard case .dictionary(let entries) = stored else {
                throw stored.unreadable(as: Value.self, at: [])
            }
            return Dictionary(
                uniqueKeysWithValues: try entries.map { key, stored in
                    (key, try at(PathKey(stringValue: key)) { try element.decode(stored) })
                }
            )
        }
    }

    /// Runs the bridge of an element, whose errors do not know where it stands.
    private static func at<Result>(
        _ step: PathKey,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as DecodingError {
            throw error.prefixed(by: step)
        } catch let error as EncodingError {
            throw error.prefixed(by: step)
        }
    }
}

extension DecodingError {
    fileprivate func prefixed(by step: PathKey) -> DecodingError {
        func prefixed(_ context: Context) -> Context {
            Context(
                codingPath: [step] + context.codingPath,
                debugDescription: context.debugDescription,
                underlyingError: context.underlyingError
            )
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, prefixed(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, prefixed(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, prefixed(context))
        case .dataCorrupted(let context): .dataCorrupted(prefixed(context))
        @unknown default: self
        }
    }
}

extension EncodingError {
    fileprivate func prefixed(by step: PathKey) -> EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        return .invalidValue(
            value,
            Context(
                codingPath: [step] + context.codingPath,
                debugDescription: context.debugDescription,
                underlyingError: context.underlyingError
            )
        )
    }
}
