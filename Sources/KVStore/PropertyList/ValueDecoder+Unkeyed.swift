/// The unkeyed container: the elements of an array.
///
/// A read that fails stays where it is, so a type may try another at the same place.
struct UnkeyedElements: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let elements: [PropertyListValue]
    /// The keys of the dictionary that is read as alternating pairs, if it is one.
    var names: [String]?
    var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex >= elements.count }

    var step: PathStep {
        guard let names, currentIndex / 2 < names.count else { return .index(currentIndex) }
        return .key(PathKey(stringValue: names[currentIndex / 2]))
    }

    @inline(__always)
    func next(_ type: Any.Type) throws -> PropertyListValue {
        guard currentIndex < elements.count else { throw ended(type) }
        return elements[currentIndex]
    }

    private func ended(_ type: Any.Type) -> DecodingError {
        .valueNotFound(type, decoder.context("The array has no more elements.", at: step))
    }

    func unreadable(_ stored: PropertyListValue, as type: Any.Type) -> DecodingError {
        decoder.unreadable(stored, as: type, at: step)
    }

    mutating func decodeNil() throws -> Bool {
        guard try next((Never?).self).isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let stored = try next(type)
        guard let value = stored.asBool else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let stored = try next(type)
        guard let value = stored.text else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let stored = try next(type)
        guard let value = stored.asDouble else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let stored = try next(type)
        guard let value = stored.asFloat else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let stored = try next(type)
        guard let value = stored.asInteger(Int.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let stored = try next(type)
        guard let value = stored.asInteger(Int8.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let stored = try next(type)
        guard let value = stored.asInteger(Int16.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let stored = try next(type)
        guard let value = stored.asInteger(Int32.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let stored = try next(type)
        guard let value = stored.asInteger(Int64.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let stored = try next(type)
        guard let value = stored.asInteger(UInt.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let stored = try next(type)
        guard let value = stored.asInteger(UInt8.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let stored = try next(type)
        guard let value = stored.asInteger(UInt16.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let stored = try next(type)
        guard let value = stored.asInteger(UInt32.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let stored = try next(type)
        guard let value = stored.asInteger(UInt64.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let stored = try next(type)
        guard let value = stored.asInteger(Int128.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let stored = try next(type)
        guard let value = stored.asInteger(UInt128.self) else { throw unreadable(stored, as: type) }
        currentIndex += 1
        return value
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder.decode(type, from: next(type), step)
        currentIndex += 1
        return value
    }

    mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
        guard currentIndex < elements.count else { return nil }
        if elements[currentIndex].isNull {
            currentIndex += 1
            return nil
        }
        return try decode(type)
    }
}
