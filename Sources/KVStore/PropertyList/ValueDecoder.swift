/// The decoder: one stored value on the way to a Swift value, and the entry point.
///
/// When a type is done, its decoder is used again for the next value, unless somebody still
/// holds it.
package final class ValueDecoder: Decoder {
    /// The most coder levels, as ``ValueEncoder`` counts them.
    static let maximumLevel = ValueEncoder.maximumLevel

    var value: PropertyListValue
    /// The type that is being decoded.
    var type: any Decodable.Type
    var level: Int
    /// How many containers stand around the value.
    var depth: Int
    var step: PathStep
    var parent: ValueDecoder?
    /// Whether the keys of the dictionary were asked for, as Swift's dictionaries do.
    var keysWereListed = false
    /// Whether a dictionary was read as alternating pairs.
    var wasUnfolded = false
    var pool: DecoderPool?
    private var hasEnded = false

    init(
        _ value: PropertyListValue,
        as type: any Decodable.Type,
        parent: ValueDecoder?,
        step: PathStep,
        depth: Int
    ) {
        self.value = value
        self.type = type
        self.parent = parent
        self.step = step
        self.depth = depth
        level = (parent?.level ?? 0) + 1
        pool = parent?.pool
    }

    /// Decodes a value whose type has no form of its own here.
    ///
    /// - Throws: `DecodingError`, and what the type's own `init(from:)` throws.
    package static func decode<T: Decodable>(
        _ type: T.Type,
        from value: PropertyListValue
    ) throws -> T {
        let decoder = ValueDecoder(value, as: type, parent: nil, step: .none, depth: 0)
        defer { decoder.end() }
        return try decoder.decodeValue(type)
    }

    package var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var next: ValueDecoder? = self
        while let decoder = next {
            if let key = decoder.step.codingKey { path.append(key) }
            next = decoder.parent
        }
        return path.reversed()
    }

    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try checkDepth()
        guard case .dictionary(let entries) = value else {
            throw mismatch([String: PropertyListValue].self, "a dictionary")
        }
        return KeyedDecodingContainer(KeyedEntries<Key>(decoder: self, entries: entries))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try checkDepth()
        switch value {
        case .array(let elements):
            return UnkeyedElements(decoder: self, elements: elements)
        case .dictionary(let entries):
            if let unfolded = try unfolded(entries) { return unfolded }
            fallthrough
        default:
            throw mismatch([PropertyListValue].self, "an array")
        }
    }

    package func singleValueContainer() -> any SingleValueDecodingContainer {
        self
    }

    private func checkDepth() throws {
        guard depth >= PropertyListValue.maximumDepth else { return }
        throw DecodingError.dataCorrupted(
            context("Containers nest deeper than \(PropertyListValue.maximumDepth).")
        )
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        if value.isNull {
            return .valueNotFound(type, context("Expected \(expected), found null."))
        }
        return .typeMismatch(type, context("Expected \(expected), found \(value.kindName)."))
    }
}

extension ValueDecoder {
    /// Decodes a value at this value's place or inside it.
    @inline(__always)
    func decode<T: Decodable>(
        _ type: T.Type,
        from value: PropertyListValue,
        _ step: @autoclosure () -> PathStep
    ) throws -> T {
        guard let kind = LeafKind(type) else { return try descend(type, value, step()) }
        // No leaf is more than two containers deep.
        if depth > PropertyListValue.maximumDepth - 3 { try checkDepth(of: value, at: step()) }
        do {
            return try value.leaf(type, kind)
        } catch .leftToType {
            return try descend(type, value, step())
        } catch .unreadable {
            throw unreadable(value, as: type, at: step())
        }
    }

    private func checkDepth(of leaf: PropertyListValue, at step: PathStep) throws {
        let own = leaf.depthAsLeaf
        guard own > 0, depthInside(step) + own > PropertyListValue.maximumDepth else { return }
        throw DecodingError.dataCorrupted(
            context("Containers nest deeper than \(PropertyListValue.maximumDepth).", at: step)
        )
    }

    /// How many containers stand around a value at this value's place or inside it.
    private func depthInside(_ step: PathStep) -> Int {
        if case .none = step { depth } else { depth + 1 }
    }

    @inline(never)
    private func descend<T: Decodable>(
        _ type: T.Type,
        _ value: PropertyListValue,
        _ step: PathStep
    ) throws -> T {
        var decoder = try child(value, as: type, step)
        let result = try decoder.decodeValue(type)
        if isKnownUniquelyReferenced(&decoder) { decoder.pool?.reuse(decoder) }
        return result
    }

    /// Lets the type read this decoder, and checks what only the finished value tells.
    private func decodeValue<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try T(from: self)
        if wasUnfolded || keysWereListed { try checkKeys(of: result) }
        return result
    }

    /// Ends the decoding of which this is the root, though somebody may still hold it and read.
    private func end() {
        hasEnded = true
        pool?.end()
    }

    /// Returns a decoder for a value at this value's place or inside it.
    func child(
        _ value: PropertyListValue,
        as type: any Decodable.Type,
        _ step: PathStep
    ) throws -> ValueDecoder {
        guard level < Self.maximumLevel else {
            throw DecodingError.dataCorrupted(
                context("Values nest deeper than \(Self.maximumLevel) levels.", at: step)
            )
        }
        let inside = depthInside(step)
        let pool = pool ?? DecoderPool(hasEnded: hasEnded)
        self.pool = pool
        return pool.decoder(value, as: type, parent: self, step: step, depth: inside)
    }
}

/// The decoders that nobody uses any more.
final class DecoderPool {
    private var spares: [ValueDecoder] = []
    private var hasEnded: Bool

    init(hasEnded: Bool) {
        self.hasEnded = hasEnded
    }

    func decoder(
        _ value: PropertyListValue,
        as type: any Decodable.Type,
        parent: ValueDecoder,
        step: PathStep,
        depth: Int
    ) -> ValueDecoder {
        guard let decoder = spares.popLast() else {
            return ValueDecoder(value, as: type, parent: parent, step: step, depth: depth)
        }
        decoder.value = value
        decoder.type = type
        decoder.parent = parent
        decoder.step = step
        decoder.level = parent.level + 1
        decoder.depth = depth
        return decoder
    }

    func reuse(_ decoder: ValueDecoder) {
        guard !hasEnded else { return }
        decoder.parent = nil
        decoder.step = .none
        decoder.value = .null
        decoder.keysWereListed = false
        decoder.wasUnfolded = false
        spares.append(decoder)
    }

    /// Lets the spare decoders go, which hold the pool.
    func end() {
        hasEnded = true
        spares = []
    }
}
