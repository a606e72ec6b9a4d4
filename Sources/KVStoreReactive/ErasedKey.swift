import KVStore

/// A key of which no more is known than what a read of it gives.
///
/// It is what wrappers and cells keep, which are generic over the value that they show and not over
/// the kind of key. A `KVKey<W?>` reads as `W?` here and not as a doubled optional.
struct ErasedKey<Reading: Sendable>: KVKeyProtocol {
    let name: String
    let fallback: Reading
    private let decode: @Sendable (PropertyListValue?) throws -> Reading
    private let encode: @Sendable (Reading) throws -> PropertyListValue?

    init<Key: KVKeyProtocol>(_ key: Key) where Key.Reading == Reading {
        name = key.name
        fallback = key.fallback
        decode = { try key.reading($0) }
        encode = { try key.stored($0) }
    }

    init<Wrapped>(_ key: KVKey<Wrapped?>) where Reading == Wrapped? {
        name = key.name
        fallback = nil
        decode = { try key.reading($0) ?? nil }
        encode = { try key.stored($0) }
    }

    private init(
        name: String,
        fallback: Reading,
        decode: @escaping @Sendable (PropertyListValue?) throws -> Reading,
        encode: @escaping @Sendable (Reading) throws -> PropertyListValue?
    ) {
        self.name = name
        self.fallback = fallback
        self.decode = decode
        self.encode = encode
    }

    /// The same key without its fallback: it reads as nil where nothing readable is stored.
    var withoutFallback: ErasedKey<Reading?> {
        ErasedKey<Reading?>(
            name: name,
            fallback: nil,
            decode: { [decode] stored in
                guard let stored else { return nil }
                return try decode(stored)
            },
            encode: { [encode] reading in
                guard let reading else { return nil }
                return try encode(reading)
            }
        )
    }

    /// The same key under a name that begins with a prefix.
    func prefixed(by prefix: String) -> ErasedKey {
        if prefix.isEmpty { return self }
        return ErasedKey(name: prefix + name, fallback: fallback, decode: decode, encode: encode)
    }

    func reading(_ stored: PropertyListValue?) throws -> Reading {
        try decode(stored)
    }

    func stored(_ reading: Reading) throws -> PropertyListValue? {
        try encode(reading)
    }

    func stored(value: Reading) throws -> PropertyListValue? {
        try encode(value)
    }
}
