/// The parts of a value that are nodes themselves, beside those that are not.
final class Children {
    var values: [String: PropertyListValue] = [:]
    var nodes: [String: ValueEncoder] = [:]
    var elements: [(index: Int, node: ValueEncoder)] = []
    var single: ValueEncoder?

    /// Sets the value under a key: of two writes to one key, the last one counts.
    func set(_ value: PropertyListValue, forName name: String) {
        nodes[name] = nil
        values[name] = value
    }

    func set(_ node: ValueEncoder, forName name: String) {
        values[name] = nil
        nodes[name] = node
    }
}

extension ValueEncoder {
    /// Gives up the value of this node and leaves the node empty.
    ///
    /// - Parameter type: The type that encoded itself here, which decides whether an array is a
    ///   set or the pairs of a dictionary.
    /// - Returns: The tree; an empty dictionary if nothing was written.
    /// - Throws: `EncodingError.invalidValue` if a dictionary's keys cannot be stored.
    func take(as type: (any Encodable.Type)?) throws -> PropertyListValue {
        switch shape {
        case .untouched, .refused:
            return .dictionary([:])
        case .single:
            if let node = unsafe children?.single { return try node.take(as: node.deferredType) }
            let value = unsafe single
            unsafe single = .null
            return value
        case .keyed:
            return try .dictionary(takeEntries())
        case .unkeyed:
            return try takeElements(as: type)
        }
    }

    private func takeEntries() throws -> [String: PropertyListValue] {
        var result: [String: PropertyListValue]
        if let children = unsafe children {
            result = children.values
            for (name, node) in children.nodes {
                result[name] = try node.take(as: node.deferredType)
            }
        } else {
            result = Dictionary(minimumCapacity: unsafe entries.count)
            // From the end, because that moves the entries out instead of copying them.
            while let (name, value) = unsafe entries.popLast() {
                if let later = result.updateValue(value, forKey: name) { result[name] = later }
            }
        }
        if result.count == 1, let name = result.keys.first { try checkOnlyKey(name, in: result) }
        return result
    }

    /// Refuses a dictionary that a later version would take for one of its tags.
    func checkOnlyKey(_ name: String, in entries: [String: PropertyListValue]) throws {
        guard name.utf8.starts(with: "$kv.".utf8) else { return }
        throw invalid(
            PropertyListValue.dictionary(entries),
            "A dictionary whose only key begins with \"$kv.\" is reserved.",
            at: .key(PathKey(stringValue: name))
        )
    }

    private func takeElements(as type: (any Encodable.Type)?) throws -> PropertyListValue {
        var result = unsafe elements
        unsafe elements = []
        if let children = unsafe children {
            for (index, node) in children.elements {
                result[index] = try node.take(as: node.deferredType)
            }
        }
        guard let type else { return .array(result) }
        if let set = type as? any SetShape.Type { return .array(set.sorted(result)) }
        guard let dictionary = type as? any DictionaryShape.Type else { return .array(result) }
        return try folded(result, as: dictionary)
    }
}
