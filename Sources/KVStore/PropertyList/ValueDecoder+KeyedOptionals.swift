// The requirements that the standard library would meet with three look-ups of the key.
extension KeyedEntries {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asBool else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.text else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asDouble else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asFloat else { throw unreadable(stored, as: type, key) }
        return value
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(Int.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(Int8.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(Int16.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(Int32.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(Int64.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(UInt.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(UInt8.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(UInt16.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(UInt32.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(UInt64.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(Int128.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        guard let value = stored.asInteger(UInt128.self) else {
            throw unreadable(stored, as: type, key)
        }
        return value
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let stored = optionalValue(forKey: key) else { return nil }
        return try decoder.decode(type, from: stored, .key(key))
    }
}
