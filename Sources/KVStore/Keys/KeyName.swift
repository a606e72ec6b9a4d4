/// The rule for names of keys, the same for every backend.
///
/// A name is legal if every medium can hold it: not empty, at most 4,096 bytes of UTF-8, without a
/// leading U+FEFF and without scalars that XML 1.0 cannot hold. Newline, tab and carriage return
/// are legal, and so are dots, slashes and `@`, which mean nothing.
package enum KeyName {
    /// The most bytes of UTF-8 that a name may have.
    ///
    /// Swift hashes a run of combining marks in quadratic time, so a longer name could stall a
    /// store for minutes.
    package static let maximumLength = 4096

    /// Returns whether the rule allows a name.
    package static func isValid(_ name: String) -> Bool {
        let count = name.utf8.count
        guard count > 0, count <= maximumLength else { return false }
        var first: UInt8 = 0
        var second: UInt8 = 0
        var offset = 0
        for byte in name.utf8 {
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return false }
            if first == 0xEF {
                // U+FFFE and U+FFFF are EF BF BE and EF BF BF; U+FEFF is EF BB BF.
                if second == 0xBF, byte >= 0xBE { return false }
                if second == 0xBB, byte == 0xBF, offset == 2 { return false }
            }
            first = second
            second = byte
            offset += 1
        }
        return true
    }

    /// Returns a name, or in place of one that no store can hold the empty one, which is as
    /// impossible and does not take seconds to hash under the lock of a domain.
    static func possible(_ name: String) -> String {
        isValid(name) ? name : ""
    }
}
