/// The unkeyed container: a view of a node that is an array.
struct UnkeyedNode: UnkeyedEncodingContainer {
    let node: ValueEncoder

    var codingPath: [any CodingKey] { node.codingPath }

    var count: Int { node.count }

    func encodeNil() throws {
        try node.append(.null)
    }

    func encode(_ value: Bool) throws {
        try node.append(.bool(value))
    }

    func encode(_ value: String) throws {
        try node.append(.text(value))
    }

    func encode(_ value: Double) throws {
        try node.append(.real(value))
    }

    func encode(_ value: Float) throws {
        try node.append(.real(Double(value)))
    }

    func encode(_ value: Int) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: Int8) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: Int16) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: Int32) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: Int64) throws {
        try node.append(.integer(value))
    }

    func encode(_ value: UInt) throws {
        try node.append(.unsigned(UInt64(value)))
    }

    func encode(_ value: UInt8) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: UInt16) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: UInt32) throws {
        try node.append(.integer(Int64(value)))
    }

    func encode(_ value: UInt64) throws {
        try node.append(.unsigned(value))
    }

    func encode(_ value: Int128) throws {
        try node.append(node.wide(value, at: .index(node.count)))
    }

    func encode(_ value: UInt128) throws {
        try node.append(node.wide(value, at: .index(node.count)))
    }

    func encode<T: Encodable>(_ value: T) throws {
        if let leaf = PropertyListValue.leaf(value) {
            try node.admit(leaf, at: .index(node.count))
            try node.append(leaf)
        } else {
            try node.encodeElement(value)
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedNode<NestedKey>(node: node.appendedChild(as: .keyed)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedNode(node: node.appendedChild(as: .unkeyed))
    }

    func superEncoder() -> any Encoder {
        node.appendedChild(as: .untouched)
    }
}
