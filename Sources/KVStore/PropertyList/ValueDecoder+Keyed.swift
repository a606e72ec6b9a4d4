/// The keyed container: the entries of a dictionary.
struct KeyedEntries<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let entries: [String: PropertyListValue]

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        decoder.keysWereListed = true
        return entries.keys.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        entries[key.stringValue] != nil
    }

    @inline(__always)
    func value(forKey key: Key) throws -> PropertyListValue {
        guard let value = entries[key.stringValue] else { throw missing(key) }
        return value
    }

    /// The value under a key; nil if there is none or a null.
    @inline(__always)
    func optionalValue(forKey key: Key) -> PropertyListValue? {
        guard let value = entries[key.stringValue], !value.isNull else { return nil }
        return value
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            decoder.context("There is no value for the key \"\(key.stringValue)\".")
        )
    }

    func unreadable(_ stored: PropertyListValue, as type: Any.Type, _ key: Key) -> DecodingError {
        decoder.unreadable(stored, as: type, at: .key(key))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try value(forKey: key).isNull
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let stored = try value(forKey: key)
        guard let value = stored.asBool else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let stored = try value(forKey: key)
        guard let value = stored.text else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let stored = try value(forKey: key)
        guard let value = stored.asDouble else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        let stored = try value(forKey: key)
        guard let value = stored.asFloat else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(Int.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(Int8.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(Int16.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(Int32.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(Int64.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(UInt.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(UInt8.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(UInt16.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(UInt32.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(UInt64.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(Int128.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        let stored = try value(forKey: key)
        guard let value = stored.asInteger(UInt128.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.decode(type, from: value(forKey: key), .key(key))
    }
}
