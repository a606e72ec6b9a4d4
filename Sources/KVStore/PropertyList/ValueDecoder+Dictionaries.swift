extension ValueDecoder {
    /// Returns the entries of a dictionary as the alternating pairs that Swift's `Dictionary`
    /// reads; nil if another type asks for an array.
    ///
    /// The type is looked at here, when it asks for an array, because a cast in front of every
    /// dictionary would cost as much as the rest of a small struct.
    func unfolded(_ entries: [String: PropertyListValue]) throws -> UnkeyedElements? {
        guard let type = type as? any DictionaryShape.Type, type.keyForm != .pairs else {
            return nil
        }
        let form = type.keyForm
        var elements: [PropertyListValue] = []
        var names: [String] = []
        elements.reserveCapacity(entries.count * 2)
        names.reserveCapacity(entries.count)
        for (name, value) in entries {
            guard let key = PropertyListValue(keyText: name, form) else {
                throw badKey(name, "The key is not the canonical text of an integer.")
            }
            elements.append(key)
            elements.append(value)
            names.append(name)
        }
        wasUnfolded = true
        return UnkeyedElements(decoder: self, elements: elements, names: names)
    }

    /// Checks that a dictionary read from this one has lost no key and would be stored alike.
    func checkKeys<T>(of result: T) throws {
        guard case .dictionary(let entries) = value,
            let dictionary = result as? any DictionaryShape
        else { return }
        if Swift.type(of: dictionary).hasIntegerKeys {
            for name in entries.keys where Int64(canonical: name) == nil {
                throw badKey(name, "The key is not the canonical text of an integer.")
            }
        }
        guard dictionary.count != entries.count else { return }
        throw DecodingError.dataCorrupted(context("Two keys of the dictionary are read alike."))
    }

    private func badKey(_ name: String, _ reason: String) -> DecodingError {
        .dataCorrupted(context(reason, at: .key(PathKey(stringValue: name))))
    }
}
