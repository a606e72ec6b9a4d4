/// Reads and writes stored values as JSON text.
///
/// A tree and its text are each other: numbers with `.`, `e` or `E` are reals and all others
/// integers, JSON's `null` is the tree's ``PropertyListValue/null``, and what JSON cannot hold is
/// written with the tags of ``MediumTagging``.
///
/// ```swift
/// let text = JSONText.text(of: ["fontSize": 13])
/// let values = try JSONText.values(from: text)  // ["fontSize": 13]
/// ```
///
/// Reading is strict RFC 8259 in UTF-8, with or without a byte-order mark. It refuses, with line and
/// column, whatever could not be written back as it was meant: duplicate keys (as `String ==`
/// judges them), lone surrogates, invalid UTF-8, numbers beyond a `Double`, keys above
/// ``KeyName/maximumLength`` bytes, tags with a payload out of their grammar, and nesting beyond
/// ``PropertyListValue/maximumDepth``. It neither traps nor recurses on any input.
///
/// Writing takes any tree. A tree beyond those limits is written all the same and would not read
/// back, so a store checks the limits before it accepts a value.
package enum JSONText {
    /// Reads the object that a store's file holds.
    ///
    /// - Parameter text: UTF-8 text whose root is an object of top-level keys. The root itself is
    ///   never a tag.
    /// - Returns: The value of each key.
    /// - Throws: ``JSONSyntaxError`` for bad text and for a top-level key that ``KeyName`` refuses.
    package static func values(
        from text: Span<UInt8>
    ) throws(JSONSyntaxError) -> [String: PropertyListValue] {
        var scanner = JSONScanner(
            root: .keys,
            maximumDepth: PropertyListValue.maximumDepth,
            byteCount: text.count
        )
        do throws(JSONScanner.Failure) {
            guard case .dictionary(let values) = try scanner.scan(text) else {
                throw JSONScanner.Failure(offset: 0, expected: JSONScanner.rootRule)
            }
            return values
        } catch {
            throw JSONSyntaxError(error, in: text)
        }
    }

    /// Reads the object that a store's file holds.
    ///
    /// - Parameter text: UTF-8 text whose root is an object of top-level keys.
    /// - Returns: The value of each key.
    /// - Throws: ``JSONSyntaxError`` for bad text and for a top-level key that ``KeyName`` refuses.
    package static func values(
        from text: [UInt8]
    ) throws(JSONSyntaxError) -> [String: PropertyListValue] {
        try values(from: text.span)
    }

    /// Reads one value of any kind.
    ///
    /// - Parameters:
    ///   - text: UTF-8 text with one JSON value.
    ///   - maximumDepth: The deepest nesting allowed; a record that wraps a stored value in
    ///     containers of its own adds their number.
    /// - Returns: The value.
    /// - Throws: ``JSONSyntaxError`` for bad text.
    package static func value(
        from text: Span<UInt8>,
        maximumDepth: Int = PropertyListValue.maximumDepth
    ) throws(JSONSyntaxError) -> PropertyListValue {
        var scanner = JSONScanner(
            root: .value,
            maximumDepth: maximumDepth,
            byteCount: text.count
        )
        do throws(JSONScanner.Failure) {
            return try scanner.scan(text)
        } catch {
            throw JSONSyntaxError(error, in: text)
        }
    }

    /// Reads one value of any kind.
    ///
    /// - Parameters:
    ///   - text: UTF-8 text with one JSON value.
    ///   - maximumDepth: The deepest nesting allowed.
    /// - Returns: The value.
    /// - Throws: ``JSONSyntaxError`` for bad text.
    package static func value(
        from text: [UInt8],
        maximumDepth: Int = PropertyListValue.maximumDepth
    ) throws(JSONSyntaxError) -> PropertyListValue {
        try value(from: text.span, maximumDepth: maximumDepth)
    }

    /// Writes the text of a store's file, for people to read, compare and edit.
    ///
    /// - Parameter values: The value of each top-level key.
    /// - Returns: UTF-8 with keys in the order of their UTF-8 bytes, two spaces of indentation a
    ///   level and one newline at the end. Equal values give equal bytes.
    package static func text(of values: [String: PropertyListValue]) -> [UInt8] {
        var writer = JSONWriter(isIndented: true, capacity: 64 + values.count * 48)
        writer.writeRoot(values)
        return writer.bytes
    }

    /// Writes one value on one line, without spaces or a newline.
    ///
    /// - Parameter value: A value of any kind.
    /// - Returns: UTF-8 with keys in the order of their UTF-8 bytes. Equal values give equal bytes.
    package static func compactText(of value: PropertyListValue) -> [UInt8] {
        var writer = JSONWriter(isIndented: false, capacity: 64)
        writer.write(value)
        return writer.bytes
    }
}
