/// One step of a coding path, kept small until an error or a curious type asks for the path.
package enum PathStep {
    /// No step: the coder level of a single-value container, or the top.
    case none
    /// A key of a dictionary.
    case key(any CodingKey)
    /// A position in an array.
    case index(Int)

    /// The key that stands for this step in a coding path.
    var codingKey: (any CodingKey)? {
        switch self {
        case .none: nil
        case .key(let key): key
        case .index(let index): PathKey(index: index)
        }
    }
}

/// A key that the coders make themselves: a position, the name of a super value, an entry.
package struct PathKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// Creates the key of an array's element, spelled as Foundation's coders spell it.
    package init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    /// The key under which a keyed container keeps the value of a superclass.
    package static let superclass = PathKey(stringValue: "super")
}
