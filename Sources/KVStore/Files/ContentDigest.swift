/// A digest of bytes that is the same in every process: 64 bits, against accidents only.
package struct ContentDigest: Hashable, Sendable {
    package let bits: UInt64

    package init(bits: UInt64) {
        self.bits = bits
    }

    /// Takes the digest of bytes.
    ///
    /// Each word is mixed in by a multiplication with an odd number, which loses nothing, and a
    /// shift that lets high bits reach low ones.
    ///
    /// - Parameters:
    ///   - bytes: What to take it of.
    ///   - seed: Where to start, such as the digest of what came before.
    package init(of bytes: Span<UInt8>, seed: UInt64 = 0) {
        var state = Self.mix(seed ^ UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15)
        var index = 0
        // It borrows the bytes for as long as this call has them.
        let raw = unsafe bytes.bytes
        while index + 8 <= bytes.count {
            // Any eight bytes are a number, and the condition keeps them within the span.
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            state = Self.mix(state ^ word.littleEndian)
            index += 8
        }
        var word: UInt64 = 0
        while index < bytes.count {
            word = word << 8 | UInt64(bytes[index])
            index += 1
        }
        bits = Self.mix(state ^ word)
    }

    /// Takes the digest of bytes.
    package init(of bytes: [UInt8]) {
        self.init(of: bytes.span)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = (value ^ value >> 32) &* 0xD6E8_FEB8_6659_FD93
        value = (value ^ value >> 29) &* 0x9FB2_1C65_1E98_DF25
        return value ^ value >> 32
    }
}

extension ContentDigest: CustomStringConvertible {
    /// Sixteen hexadecimal digits.
    package var description: String { bits.hexadecimal }
}

extension UInt64 {
    /// Sixteen hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
