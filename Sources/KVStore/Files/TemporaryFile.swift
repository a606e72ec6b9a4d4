/// The names of files that are being written and will be renamed when they are whole.
package enum TemporaryFile {
    /// Returns a name beside a file that nobody else uses.
    package static func name(beside name: String) -> String {
        ".\(name).\(randomSuffix()).tmp"
    }

    /// Returns sixteen random hexadecimal digits.
    package static func randomSuffix() -> String {
        UInt64.random(in: .min ... .max).hexadecimal
    }

    /// Whether a name is one that ``name(beside:)`` makes for the file.
    package static func isName(_ candidate: String, beside name: String) -> Bool {
        let start = ".\(name)."
        guard candidate.hasPrefix(start), candidate.hasSuffix(".tmp") else { return false }
        let middle = candidate.utf8.dropFirst(start.utf8.count).dropLast(4)
        return middle.count == 16
            && middle.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
