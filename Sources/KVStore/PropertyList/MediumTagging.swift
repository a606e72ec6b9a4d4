#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A kind of storage, as far as it decides which values it cannot hold as they are.
package enum Medium: Sendable {
    /// JSON text.
    case json
    /// An XML property list as Foundation on Linux writes and reads it.
    case linuxPropertyList
    /// A property list on Apple platforms, which holds every value.
    case darwinPropertyList
}

/// Gives values a form that their medium holds, and gives back the true values.
///
/// A tag is a dictionary with exactly one key. There are five, frozen with their payloads:
///
/// | tag | payload |
/// |---|---|
/// | `$date` | ISO 8601 text (``DateText``), a finite number of seconds since 2001, or "nan", "inf", "-inf" |
/// | `$data` | padded base64 without white space |
/// | `$real` | "nan", "inf", "-inf" or "-0.0" |
/// | `$string` | text in which `\\` is a backslash and `\uXXXX` a UTF-16 unit |
/// | `$dictionary` | a dictionary whose keys are literal, or an array of alternating keys and values |
///
/// A real dictionary is escaped if its only key is one of the five names. Any other single `$` key
/// is a plain dictionary, so that the tags of a newer version pass through this one. A medium is
/// given only the tags that it needs, and every reader takes all five.
package enum MediumTagging {
    /// Returns whether a key is the name of a tag, byte for byte.
    package static func isTag(_ key: String) -> Bool {
        Tag(key) != nil
    }

    /// Why a tree cannot be tagged or read.
    package enum Failure: Error, Equatable {
        /// Arrays and dictionaries nest beyond ``PropertyListValue/maximumDepth``.
        case tooDeep
        /// The payload of this tag is out of its grammar.
        case badPayload(tag: String)
    }

    /// What a tag with a payload out of its grammar is.
    package enum BadPayload: Sendable {
        /// An error: the tag was written by hand and is wrong.
        case fails
        /// A plain dictionary that another program wrote.
        case isPlain
    }

    /// Returns the form of a value that a medium holds.
    ///
    /// - Returns: The value itself, not copied, where nothing in it needs a tag.
    /// - Throws: ``Failure/tooDeep``, before recursing any deeper.
    package static func tagged(
        _ value: PropertyListValue,
        for medium: Medium
    ) throws(Failure) -> PropertyListValue {
        try TagWriter(medium: medium).replacement(for: value, depth: 0) ?? value
    }

    /// Returns the true value of a form that any medium holds.
    ///
    /// - Returns: The value itself, not copied, where nothing in it is a tag.
    /// - Throws: ``Failure/tooDeep``, before recursing any deeper, and ``Failure/badPayload(tag:)``
    ///   where that is the rule.
    package static func untagged(
        _ value: PropertyListValue,
        badPayload: BadPayload
    ) throws(Failure) -> PropertyListValue {
        try TagReader(badPayload: badPayload).replacement(for: value, depth: 0) ?? value
    }
}

extension MediumTagging {
    /// The five tags.
    enum Tag: String {
        case date = "$date"
        case data = "$data"
        case real = "$real"
        case string = "$string"
        case dictionary = "$dictionary"

        /// Finds a tag by its exact UTF-8; `==` and `hasPrefix` compare characters.
        init?(_ key: String) {
            guard key.utf8.first == UInt8(ascii: "$") else { return nil }
            let tag: Tag =
                switch key.utf8.count {
                case 5:
                    switch key.utf8.dropFirst(2).first {
                    case UInt8(ascii: "e"): .real
                    default: key.utf8.last == UInt8(ascii: "e") ? .date : .data
                    }
                case 7: .string
                default: .dictionary
                }
            guard key.utf8Equals(tag.rawValue) else { return nil }
            self = tag
        }
    }

    /// The tag and the payload of a scalar that a medium cannot hold; nil where it can.
    static func scalarTag(
        for value: PropertyListValue,
        medium: Medium
    ) -> (tag: Tag, payload: PropertyListValue)? {
        switch (value, medium) {
        case (_, .darwinPropertyList): nil
        case (.date(let date), .json): (.date, payload(of: date))
        case (.date(let date), .linuxPropertyList):
            DateText.isWholeSecond(date.timeIntervalSinceReferenceDate)
                ? nil : (.date, payload(of: date))
        case (.data(let data), .json): (.data, .string(data.base64EncodedString()))
        case (.real(let real), .json):
            real.isFinite ? nil : (.real, .string(name(ofNonfinite: real)))
        case (.real(let real), .linuxPropertyList):
            real.storedBits == (-0.0).storedBits ? (.real, .string("-0.0")) : nil
        case (.string(let string), .linuxPropertyList):
            XMLText.holds(string) ? nil : (.string, .string(XMLText.escaped(string)))
        default: nil
        }
    }

    private static func payload(of date: Date) -> PropertyListValue {
        let seconds = date.timeIntervalSinceReferenceDate
        if let text = DateText.text(of: seconds) { return .string(text) }
        return seconds.isFinite ? .real(seconds) : .string(name(ofNonfinite: seconds))
    }

    private static func name(ofNonfinite real: Double) -> String {
        real.isNaN ? "nan" : real < 0 ? "-inf" : "inf"
    }

    /// The scalar that a tag and its payload stand for; nil where the payload is out of the grammar.
    static func scalar(_ tag: Tag, _ payload: PropertyListValue) -> PropertyListValue? {
        switch (tag, payload) {
        case (.date, .string(let text)):
            (nonfinite(text) ?? DateText.seconds(of: text)).map { date(at: $0) }
        case (.date, .real(let seconds)): seconds.isFinite ? date(at: seconds) : nil
        case (.date, .integer(let seconds)): date(at: Double(seconds))
        case (.date, .unsignedInteger(let seconds)): date(at: Double(seconds))
        case (.data, .string(let text)): data(text).map { .data($0) }
        case (.real, .string(let text)):
            text.utf8Equals("-0.0") ? .real(-0.0) : nonfinite(text).map { .real($0) }
        case (.string, .string(let text)): XMLText.unescaped(text).map { .string($0) }
        default: nil
        }
    }

    private static func date(at seconds: Double) -> PropertyListValue {
        // Adding zero makes -0.0 the 0.0 that encoding stores, and changes nothing else.
        .date(Date(timeIntervalSinceReferenceDate: seconds + 0))
    }

    private static func nonfinite(_ text: String) -> Double? {
        if text.utf8Equals("nan") { return .nan }
        if text.utf8Equals("inf") { return .infinity }
        return text.utf8Equals("-inf") ? -.infinity : nil
    }

    private static func data(_ text: String) -> Data? {
        // Writing again refuses what the decoder lets pass, such as bits after the last byte.
        guard let data = Data(base64Encoded: text), data.base64EncodedString().utf8Equals(text)
        else { return nil }
        return data
    }

    /// The dictionary that alternating keys and values stand for.
    ///
    /// Nil where they are not pairs, an element in a key's place has no key, a key is too long or
    /// appears twice.
    static func dictionary(
        fromPairs elements: [PropertyListValue],
        key: (PropertyListValue) -> String?
    ) -> [String: PropertyListValue]? {
        guard elements.count.isMultiple(of: 2) else { return nil }
        var dictionary: [String: PropertyListValue] = [:]
        dictionary.reserveCapacity(elements.count / 2)
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard let key = key(elements[index]), key.utf8.count <= KeyName.maximumLength,
                dictionary.updateValue(elements[index + 1], forKey: key) == nil
            else { return nil }
        }
        return dictionary
    }

    /// The value of a dictionary with the name of a tag, in which only directly nested dictionaries
    /// of that kind are still to be read; nil where a payload is out of the grammar.
    static func valueOfScannedTag(_ value: PropertyListValue) -> PropertyListValue? {
        guard case .dictionary(let only) = value, only.count == 1,
            let (key, payload) = only.first, let tag = Tag(key)
        else { return value }
        switch (tag, payload) {
        case (.dictionary, .dictionary(let literal)):
            guard literal.count == 1, let (key, child) = literal.first, Tag(key) != nil else {
                return payload
            }
            return valueOfScannedTag(child).map { .dictionary([key: $0]) }
        case (.dictionary, .array(let elements)):
            // The elements are read already, tagged keys too.
            let pairs = dictionary(fromPairs: elements) { element in
                if case .string(let key) = element { return key }
                return nil
            }
            return pairs.map { .dictionary($0) }
        default: return scalar(tag, payload)
        }
    }

    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
