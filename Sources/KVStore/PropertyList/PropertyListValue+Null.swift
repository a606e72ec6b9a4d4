extension PropertyListValue {
    /// Returns the stored form of a string, with one `$` more where it would read as a null.
    @inlinable
    @inline(__always)
    package static func text(_ string: String) -> PropertyListValue {
        .string(string.utf8.first == 0x24 ? escapingNull(string) : string)
    }

    /// Returns a string with one `$` more if it is one or more `$` and then `null`.
    @usableFromInline
    static func escapingNull(_ string: String) -> String {
        dollarsBeforeNull(string) == 0 ? string : "$" + string
    }

    /// The text of a stored string; nil for another kind of value and for a null.
    @inline(__always)
    package var text: String? {
        guard case .string(let string) = self else { return nil }
        return string.utf8.first == 0x24 ? Self.unescapingNull(string) : string
    }

    /// Returns the text that a stored string stands for, or nil if it stands for a null.
    @usableFromInline
    static func unescapingNull(_ string: String) -> String? {
        switch dollarsBeforeNull(string) {
        case 0: string
        case 1: nil
        default: String(string.dropFirst())
        }
    }

    /// Returns how many `$` stand before `null` if the string is nothing else, and 0 otherwise.
    private static func dollarsBeforeNull(_ string: String) -> Int {
        let bytes = string.utf8
        guard bytes.count >= 5 else { return 0 }
        let dollars = bytes.count - 4
        guard bytes.prefix(dollars).allSatisfy({ $0 == 0x24 }),
            bytes.suffix(4).elementsEqual("null".utf8)
        else { return 0 }
        return dollars
    }
}
