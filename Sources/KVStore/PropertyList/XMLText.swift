/// What an XML property list changes in strings, and the escapes that save it.
enum XMLText {
    /// Returns whether a string comes back from an XML property list as it was.
    ///
    /// Foundation on Linux drops a leading U+FEFF, from keys too, and XML 1.0 has no place for most
    /// control characters, U+FFFE and U+FFFF. A carriage return survives in what Foundation writes.
    static func holds(_ string: String) -> Bool {
        // Only these bytes begin a scalar that is looked at below.
        guard string.utf8.contains(where: { $0 < 0x20 || $0 == 0xEF }) else { return true }
        return string.unicodeScalars.first != byteOrderMark
            && string.unicodeScalars.allSatisfy(isLegal)
    }

    /// Returns a string in which XML changes nothing.
    static func escaped(_ string: String) -> String {
        var result = ""
        for (index, scalar) in string.unicodeScalars.enumerated() {
            if scalar == "\\" {
                result += "\\\\"
            } else if !isLegal(scalar) || (index == 0 && scalar == byteOrderMark) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the string that was escaped; nil for an escape that is not `\\` or `\uXXXX`.
    static func unescaped(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var high: UInt32?
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            var unit: UInt32 = 0
            if byte == UInt8(ascii: "\\") {
                guard let kind = iterator.next() else { return nil }
                if kind == UInt8(ascii: "u") {
                    for _ in 0..<4 {
                        guard let digit = iterator.next().flatMap(MediumTagging.hexDigit) else {
                            return nil
                        }
                        unit = unit << 4 | digit
                    }
                } else {
                    guard kind == UInt8(ascii: "\\") else { return nil }
                    unit = UInt32(kind)
                }
            } else if high == nil {
                bytes.append(byte)
                continue
            }
            if let first = high {
                guard unit >= 0xDC00, unit < 0xE000 else { return nil }
                unit = 0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00)
                high = nil
            } else if unit >= 0xD800, unit < 0xDC00 {
                high = unit
                continue
            }
            guard let scalar = Unicode.Scalar(unit) else { return nil }
            bytes.append(contentsOf: String(Character(scalar)).utf8)
        }
        return high == nil ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static let byteOrderMark: Unicode.Scalar = "\u{FEFF}"

    private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }
}
