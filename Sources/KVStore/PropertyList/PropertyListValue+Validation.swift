extension PropertyListValue {
    /// The longest key of a nested dictionary, in bytes of UTF-8.
    ///
    /// Comparing and hashing a key is quadratic in a run of combining marks: at this length it
    /// takes milliseconds, at a megabyte minutes.
    package static let maximumKeyLength = 4_096

    /// Checks a tree that was made by hand, and gives it the form that encoding would.
    ///
    /// An ``unsignedInteger(_:)`` that fits `Int64` becomes an ``integer(_:)``. A scalar costs a
    /// few nanoseconds, a container as much as it is large.
    ///
    /// - Returns: The tree as it may be stored.
    /// - Throws: `EncodingError.invalidValue`, with the path of the offending value, if containers
    ///   nest deeper than 128 or a key is longer than 4,096 bytes.
    package func validated() throws -> PropertyListValue {
        switch self {
        case .array, .dictionary: return try validated(depth: 1, parent: nil)
        default: return normalised
        }
    }

    private var normalised: PropertyListValue {
        guard case .unsignedInteger(let unsigned) = self, let integer = Int64(exactly: unsigned)
        else { return self }
        return .integer(integer)
    }

    private func validated(depth: Int, parent: Trail?) throws -> PropertyListValue {
        switch self {
        case .array(var elements):
            try checkDepth(depth, parent)
            for index in elements.indices where elements[index].needsValidation {
                let trail = Trail(step: .index(index), parent: parent)
                elements[index] = try elements[index].validated(depth: depth + 1, parent: trail)
            }
            return .array(elements)
        case .dictionary(var entries):
            try checkDepth(depth, parent)
            for (key, value) in entries {
                guard key.utf8.count <= Self.maximumKeyLength else {
                    throw Self.refusal(
                        value,
                        Trail(step: .none, parent: parent),
                        "A key is too long."
                    )
                }
                guard value.needsValidation else { continue }
                let trail = Trail(step: .key(PathKey(stringValue: key)), parent: parent)
                entries[key] = try value.validated(depth: depth + 1, parent: trail)
            }
            return .dictionary(entries)
        default:
            return normalised
        }
    }

    /// Whether a hand-made value may differ from what encoding would give.
    package var needsValidation: Bool {
        switch self {
        case .array, .dictionary, .unsignedInteger: true
        default: false
        }
    }

    private func checkDepth(_ depth: Int, _ parent: Trail?) throws {
        guard depth > Self.maximumDepth else { return }
        throw Self.refusal(self, parent, "Containers nest deeper than \(Self.maximumDepth).")
    }

    private static func refusal(
        _ value: PropertyListValue,
        _ trail: Trail?,
        _ reason: String
    ) -> EncodingError {
        // A tree too deep to store may be too deep to release with the error as well.
        let culprit: Any = value.needsValidation ? "a container" : value
        return .invalidValue(
            culprit,
            EncodingError.Context(codingPath: trail?.codingPath ?? [], debugDescription: reason)
        )
    }
}

/// The way from the root to a value, made into a coding path only for an error.
private final class Trail {
    private let step: PathStep
    private let parent: Trail?

    init(step: PathStep, parent: Trail?) {
        self.step = step
        self.parent = parent
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var next: Trail? = self
        while let trail = next {
            if let key = trail.step.codingKey { path.append(key) }
            next = trail.parent
        }
        return path.reversed()
    }
}
