import KVStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How much work the random tests do: a twentieth of the stated counts, so that a run stays short
/// and leaves the threads to others, or all of it with `KVSTORE_FULL_LOAD` set.
enum Load {
    static let isFull = ProcessInfo.processInfo.environment["KVSTORE_FULL_LOAD"] != nil

    static func millions(_ count: Double) -> Int {
        Int(count * (isFull ? 1_000_000 : 50_000))
    }
}

/// A generator whose numbers are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// A tree of any kind, rich in what media and readers trip over.
    mutating func tree(depth: Int = 4) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &self) {
        case 0: return .string(string())
        case 1: return .integer(integer())
        case 2: return .unsignedInteger(.random(in: (1 << 63)...UInt64.max, using: &self))
        case 3: return .real(real())
        case 4: return .bool(.random(using: &self))
        case 5:
            let count = Int.random(in: 0..<9, using: &self)
            return .data(Data((0..<count).map { _ in .random(in: 0...255, using: &self) }))
        case 6: return .date(Date(timeIntervalSinceReferenceDate: dateSeconds()))
        case 7: return .null
        case 8, 9:
            let count = Int.random(in: 0..<4, using: &self)
            return .array((0..<count).map { _ in tree(depth: depth - 1) })
        default:
            // One key is where tags are decided.
            let count = Bool.random(using: &self) ? 1 : Int.random(in: 0..<5, using: &self)
            var values: [String: PropertyListValue] = [:]
            for _ in 0..<count { values[string()] = tree(depth: depth - 1) }
            return .dictionary(values)
        }
    }

    mutating func string() -> String {
        let odd = [
            "$date", "$data", "$real", "$string", "$dictionary", "$foo", "$kv.x", "CF$UID", "$null",
            "$$null", "nan", "inf", "-inf", "-0.0", "2001-01-01T00:00:00Z", "QQ==", "", "$",
            "$\u{301}date", "\u{FEFF}x", "x\u{FEFF}", "\\ufeff", "e\u{301}", "é", "\u{FFFE}",
            "a\u{FFFF}",
            "\u{0}", "\u{1F}\\", "\r\n", "\t", "\"", "<&>]]>", "😀", "\u{10FFFF}", "\u{2028}", " x ",
        ]
        if Bool.random(using: &self) { return odd[Int.random(in: 0..<odd.count, using: &self)] }
        let count = Int.random(in: 0..<20, using: &self)
        var string = ""
        for _ in 0..<count {
            let limit: UInt32 = Bool.random(using: &self) ? 0x7F : 0x10FFFF
            string.unicodeScalars.append(
                Unicode.Scalar(UInt32.random(in: 0...limit, using: &self)) ?? "x"
            )
        }
        return string
    }

    mutating func integer() -> Int64 {
        let odd: [Int64] = [0, 1, -1, .min, .max, 9_007_199_254_740_993]
        return odd.randomElement(using: &self).flatMap { Bool.random(using: &self) ? $0 : nil }
            ?? .random(in: .min ... .max, using: &self)
    }

    mutating func real() -> Double {
        let odd: [Double] = [
            0, -0.0, 1, 0.1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e16, 1e22, 1e23,
        ]
        if Bool.random(using: &self) { return odd[Int.random(in: 0..<odd.count, using: &self)] }
        return Double(bitPattern: next())
    }

    mutating func dateSeconds() -> Double {
        let odd: [Double] = [
            0, 0.5, -0.1, -63_114_076_800, -63_113_904_000, 252_423_993_599, 252_423_993_600, 1e-10,
            1e18, .nan, .infinity, -.infinity, 63_113_904_000, -13_197_600_001,
        ]
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return odd[Int.random(in: 0..<odd.count, using: &self)]
        case 1: return .random(in: -1e9...1e9, using: &self).rounded()
        case 2: return .random(in: -63_113_904_000..<252_423_993_600, using: &self)
        default: return real() + 0
        }
    }
}
