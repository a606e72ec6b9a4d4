import Foundation

extension String {
    /// The key in the one spelling under which a domain holds it.
    ///
    /// Foundation on Linux hashes the spelling and compares the characters, so that two spellings
    /// of one key take each other's values by luck.
    var normalizedKey: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
