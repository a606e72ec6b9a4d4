extension ValueEncoder: SingleValueEncodingContainer {
    package func encodeNil() throws {
        try setSingle(.null)
    }

    package func encode(_ value: Bool) throws {
        try setSingle(.bool(value))
    }

    package func encode(_ value: String) throws {
        try setSingle(.text(value))
    }

    package func encode(_ value: Double) throws {
        try setSingle(.real(value))
    }

    package func encode(_ value: Float) throws {
        try setSingle(.real(Double(value)))
    }

    package func encode(_ value: Int) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: Int8) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: Int16) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: Int32) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: Int64) throws {
        try setSingle(.integer(value))
    }

    package func encode(_ value: UInt) throws {
        try setSingle(.unsigned(UInt64(value)))
    }

    package func encode(_ value: UInt8) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: UInt16) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: UInt32) throws {
        try setSingle(.integer(Int64(value)))
    }

    package func encode(_ value: UInt64) throws {
        try setSingle(.unsigned(value))
    }

    package func encode(_ value: Int128) throws {
        try setSingle(wide(value, at: .none))
    }

    package func encode(_ value: UInt128) throws {
        try setSingle(wide(value, at: .none))
    }

    package func encode<T: Encodable>(_ value: T) throws {
        if let leaf = PropertyListValue.leaf(value) {
            try admit(leaf, at: .none)
            try setSingle(leaf)
        } else {
            try encodeSingle(value)
        }
    }
}
