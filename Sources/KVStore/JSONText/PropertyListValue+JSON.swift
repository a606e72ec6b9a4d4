extension PropertyListValue {
    /// The value as JSON text on one line, for media and tools that keep text.
    ///
    /// It is the form in which a value stands in a JSON file: `1.0` and `1` differ, and what JSON
    /// cannot hold is tagged, such as `{"$date":"2026-01-01T00:00:00Z"}` or `{"$data":"AQI="}`.
    /// Object keys are sorted, so equal values give equal text. ``init(jsonText:)`` gives the equal
    /// value back.
    public var jsonText: String {
        String(decoding: JSONText.compactText(of: self), as: UTF8.self)
    }

    /// Creates a value from JSON text with one value of any kind.
    ///
    /// - Parameter jsonText: Strict JSON; white space around and within is allowed.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/corrupt``, line and column if the text
    ///   is not JSON, has duplicate keys, or is nested deeper than 128 levels.
    public init(jsonText: String) throws {
        do {
            self = try JSONText.value(from: Array(jsonText.utf8))
        } catch {
            throw KVStoreError(
                .corrupt,
                reason: "The text is not JSON of a stored value: expected \(error.expected).",
                line: error.line,
                column: error.column
            )
        }
    }
}
