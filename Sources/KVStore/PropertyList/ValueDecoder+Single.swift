extension ValueDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool {
        value.isNull
    }

    package func decode(_ type: Bool.Type) throws -> Bool {
        guard let value = value.asBool else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: String.Type) throws -> String {
        guard let value = value.text else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Double.Type) throws -> Double {
        guard let value = value.asDouble else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Float.Type) throws -> Float {
        guard let value = value.asFloat else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Int.Type) throws -> Int {
        guard let value = value.asInteger(Int.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Int8.Type) throws -> Int8 {
        guard let value = value.asInteger(Int8.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Int16.Type) throws -> Int16 {
        guard let value = value.asInteger(Int16.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Int32.Type) throws -> Int32 {
        guard let value = value.asInteger(Int32.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Int64.Type) throws -> Int64 {
        guard let value = value.asInteger(Int64.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: UInt.Type) throws -> UInt {
        guard let value = value.asInteger(UInt.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: UInt8.Type) throws -> UInt8 {
        guard let value = value.asInteger(UInt8.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: UInt16.Type) throws -> UInt16 {
        guard let value = value.asInteger(UInt16.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: UInt32.Type) throws -> UInt32 {
        guard let value = value.asInteger(UInt32.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: UInt64.Type) throws -> UInt64 {
        guard let value = value.asInteger(UInt64.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: Int128.Type) throws -> Int128 {
        guard let value = value.asInteger(Int128.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode(_ type: UInt128.Type) throws -> UInt128 {
        guard let value = value.asInteger(UInt128.self) else { throw unreadable(value, as: type) }
        return value
    }

    package func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decode(type, from: value, .none)
    }
}
