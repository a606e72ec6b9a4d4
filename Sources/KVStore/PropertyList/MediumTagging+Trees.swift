/// Tags the nodes of a tree.
struct TagWriter {
    let medium: Medium

    /// The tagged form of a node at a depth; nil where it is the node itself.
    func replacement(
        for value: PropertyListValue,
        depth: Int
    ) throws(MediumTagging.Failure) -> PropertyListValue? {
        switch value {
        case .array(let elements):
            try replacement(for: elements, depth: depth).map { .array($0) }
        case .dictionary(let values):
            try replacement(for: values, depth: depth)
        default:
            MediumTagging.scalarTag(for: value, medium: medium).map {
                .dictionary([$0.tag.rawValue: $0.payload])
            }
        }
    }

    private func replacement(
        for elements: [PropertyListValue],
        depth: Int
    ) throws(MediumTagging.Failure) -> [PropertyListValue]? {
        try elements.replaced(depth: depth, by: replacement)
    }

    private func replacement(
        for values: [String: PropertyListValue],
        depth: Int
    ) throws(MediumTagging.Failure) -> PropertyListValue? {
        let replaced = try values.replaced(depth: depth, by: replacement)
        if medium == .linuxPropertyList, needsPairs(values) {
            return pairs(of: replaced ?? values)
        }
        if values.count == 1, let key = values.keys.first, MediumTagging.isTag(key) {
            return [MediumTagging.Tag.dictionary.rawValue: .dictionary(replaced ?? values)]
        }
        return replaced.map { .dictionary($0) }
    }

    /// Whether XML would change a key, or a reader take the dictionary for an archiver's reference.
    private func needsPairs(_ values: [String: PropertyListValue]) -> Bool {
        if values.count == 1, let key = values.keys.first, key.utf8Equals("CF$UID") { return true }
        return !values.keys.allSatisfy { XMLText.holds($0) }
    }

    private func pairs(of values: [String: PropertyListValue]) -> PropertyListValue {
        var elements: [PropertyListValue] = []
        elements.reserveCapacity(values.count * 2)
        let sorted = UTF8Order.sorted(values)
        for (key, value) in zip(sorted.keys, sorted.values) {
            let name = PropertyListValue.string(key)
            let tag = MediumTagging.scalarTag(for: name, medium: medium)
            elements.append(tag.map { .dictionary([$0.tag.rawValue: $0.payload]) } ?? name)
            elements.append(value)
        }
        return [MediumTagging.Tag.dictionary.rawValue: .array(elements)]
    }
}

/// Reads the tags in a tree.
struct TagReader {
    let badPayload: MediumTagging.BadPayload

    /// The true value of a node at a depth; nil where it is the node itself.
    func replacement(
        for value: PropertyListValue,
        depth: Int
    ) throws(MediumTagging.Failure) -> PropertyListValue? {
        switch value {
        case .array(let elements):
            return try elements.replaced(depth: depth, by: replacement).map { .array($0) }
        case .dictionary(let values):
            if values.count == 1, let (key, payload) = values.first,
                let tag = MediumTagging.Tag(key)
            {
                if let read = try self.value(of: tag, payload, depth: depth) { return read }
                if badPayload == .fails { throw .badPayload(tag: key) }
            }
            return try values.replaced(depth: depth, by: replacement).map { .dictionary($0) }
        default: return nil
        }
    }

    /// The value of a tag; nil where its payload is bad.
    ///
    /// The payload is judged before anything in it is replaced: replacing it and then, as plain
    /// contents, once more would be exponential in the depth.
    private func value(
        of tag: MediumTagging.Tag,
        _ payload: PropertyListValue,
        depth: Int
    ) throws(MediumTagging.Failure) -> PropertyListValue? {
        let values: [String: PropertyListValue]
        switch (tag, payload) {
        case (.dictionary, .dictionary(let literal)): values = literal
        case (.dictionary, .array(let elements)):
            guard let pairs = MediumTagging.dictionary(fromPairs: elements, key: key) else {
                return nil
            }
            values = pairs
        default: return MediumTagging.scalar(tag, payload)
        }
        return .dictionary(try values.replaced(depth: depth, by: replacement) ?? values)
    }

    /// The key that a string or a tagged string stands for.
    private func key(_ element: PropertyListValue) -> String? {
        var element = element
        if case .dictionary(let only) = element, only.count == 1,
            let (name, payload) = only.first, MediumTagging.Tag(name) == .string
        {
            element = MediumTagging.scalar(.string, payload) ?? element
        }
        if case .string(let key) = element { return key }
        return nil
    }
}

private typealias Replacement =
    (PropertyListValue, Int) throws(MediumTagging.Failure) -> PropertyListValue?

extension [PropertyListValue] {
    /// The array at a depth with its elements replaced; nil where none is.
    fileprivate func replaced(
        depth: Int,
        by replacement: Replacement
    ) throws(MediumTagging.Failure) -> Self? {
        guard depth < PropertyListValue.maximumDepth else { throw .tooDeep }
        var result: Self?
        for (index, element) in enumerated() {
            guard let new = try replacement(element, depth + 1) else { continue }
            if result == nil { result = self }
            result?[index] = new
        }
        return result
    }
}

extension [String: PropertyListValue] {
    /// The dictionary at a depth with its values replaced; nil where none is.
    fileprivate func replaced(
        depth: Int,
        by replacement: Replacement
    ) throws(MediumTagging.Failure) -> Self? {
        guard depth < PropertyListValue.maximumDepth else { throw .tooDeep }
        var result: Self?
        for (key, value) in self {
            guard let new = try replacement(value, depth + 1) else { continue }
            if result == nil { result = self }
            result?[key] = new
        }
        return result
    }
}
