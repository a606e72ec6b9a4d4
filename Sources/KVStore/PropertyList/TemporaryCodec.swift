extension PropertyListValue {
    @inlinable public init<T: Encodable>(encoding value: T) throws { self = .bool(false) }
    @inlinable @inline(__always) public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        throw KVStoreError(.corrupt, reason: "")
    }
    package func validated() throws -> PropertyListValue { self }
}
