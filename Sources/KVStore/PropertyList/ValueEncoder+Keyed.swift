/// The keyed container: a view of a node that checks its keys' type.
struct KeyedNode<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: ValueEncoder

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) throws {
        try node.set(.null, forKey: key)
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        try node.set(.bool(value), forKey: key)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try node.set(.text(value), forKey: key)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try node.set(.real(value), forKey: key)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try node.set(.real(Double(value)), forKey: key)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        try node.set(.integer(value), forKey: key)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        try node.set(.unsigned(UInt64(value)), forKey: key)
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        try node.set(.integer(Int64(value)), forKey: key)
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        try node.set(.unsigned(value), forKey: key)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        try node.set(node.wide(value, at: .key(key)), forKey: key)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try node.set(node.wide(value, at: .key(key)), forKey: key)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if let leaf = PropertyListValue.leaf(value) {
            try node.admit(leaf, at: .key(key))
            try node.set(leaf, forKey: key)
        } else {
            try node.encode(value, forKey: key)
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedNode<NestedKey>(node: node.child(forKey: key, as: .keyed)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedNode(node: node.child(forKey: key, as: .unkeyed))
    }

    func superEncoder() -> any Encoder {
        node.child(forKey: PathKey.superclass, as: .untouched)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        node.child(forKey: key, as: .untouched)
    }
}
