extension PropertyListValue {
    /// Returns whether arrays and dictionaries nest at most this deep; a scalar nests 0 deep.
    package func isNested(within depth: Int) -> Bool {
        switch self {
        case .array(let elements):
            depth > 0 && elements.allSatisfy { $0.isNested(within: depth - 1) }
        case .dictionary(let values):
            depth > 0 && values.values.allSatisfy { $0.isNested(within: depth - 1) }
        default: true
        }
    }
}
