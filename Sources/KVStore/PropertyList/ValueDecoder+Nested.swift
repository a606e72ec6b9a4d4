extension KeyedEntries {
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = PathKey.superclass
        let value = entries[key.stringValue] ?? .null
        return try decoder.child(value, as: Never.self, .key(key))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        let value = entries[key.stringValue] ?? .null
        return try decoder.child(value, as: Never.self, .key(key))
    }

    private func nested(_ key: Key) throws -> ValueDecoder {
        try decoder.child(value(forKey: key), as: Never.self, .key(key))
    }
}

extension UnkeyedElements {
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let nested = try decoder.child(next([String: PropertyListValue].self), as: Never.self, step)
        let container = try nested.container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let nested = try decoder.child(next([PropertyListValue].self), as: Never.self, step)
        let container = try nested.unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let nested = try decoder.child(next((any Decoder).self), as: Never.self, step)
        currentIndex += 1
        return nested
    }
}
