/// What is wrong with a JSON text, and where.
///
/// The error names what was expected and never quotes the text, which may hold secrets.
package struct JSONSyntaxError: Error, Equatable {
    /// The line, counted from 1; lines end with LF, CRLF or CR.
    package let line: Int
    /// The column, counted from 1 in Unicode scalars; a byte-order mark does not count.
    package let column: Int
    /// What should have stood there, as a phrase that follows "expected".
    package let expected: String

    /// Creates an error from its parts.
    package init(line: Int, column: Int, expected: String) {
        self.line = line
        self.column = column
        self.expected = expected
    }

    /// Creates an error from a position in the text.
    init(_ failure: JSONScanner.Failure, in text: Span<UInt8>) {
        var line = 1
        var column = 1
        let end = min(failure.offset, text.count)
        var index = JSONScanner.hasByteOrderMark(text) ? 3 : 0
        while index < end {
            let byte = text[index]
            index += 1
            let startsLine =
                byte == 0x0A || (byte == 0x0D && !(index < text.count && text[index] == 0x0A))
            if startsLine {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.init(line: line, column: column, expected: failure.expected)
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The place and what was expected there.
    package var description: String {
        "line \(line), column \(column): expected \(expected)"
    }
}
