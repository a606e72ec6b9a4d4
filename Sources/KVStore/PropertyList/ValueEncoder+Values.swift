extension ValueEncoder {
    // MARK: Scalars and other leaves

    @inline(__always)
    func set(_ value: PropertyListValue, forKey key: some CodingKey) throws {
        let name = key.stringValue
        guard shape == .keyed, name.utf8.count <= PropertyListValue.maximumKeyLength else {
            throw invalid(value, "A key is too long.", at: .key(key))
        }
        insert(value, forName: name)
    }

    @inline(__always)
    private func insert(_ value: PropertyListValue, forName name: String) {
        if let children = unsafe children {
            children.set(value, forName: name)
        } else {
            unsafe entries.append((name, value))
        }
    }

    @inline(__always)
    func append(_ value: PropertyListValue) throws {
        guard shape == .unkeyed else { throw invalid(value, "") }
        unsafe elements.append(value)
    }

    @inline(__always)
    func setSingle(_ value: PropertyListValue) throws {
        guard shape == .untouched else { throw alreadyEncoded(value) }
        shape = .single
        unsafe single = value
    }

    private func alreadyEncoded(_ value: Any) -> EncodingError {
        invalid(value, "The value was already encoded, as a container or a single value.")
    }

    /// Checks that a leaf that is made of containers does not nest too deep here.
    @inline(__always)
    func admit(_ leaf: PropertyListValue, at step: @autoclosure () -> PathStep) throws {
        // A URL with a base is two containers deep, and no leaf is deeper.
        guard depth > PropertyListValue.maximumDepth - 3 else { return }
        try checkDepth(of: leaf, at: step())
    }

    private func checkDepth(of leaf: PropertyListValue, at step: PathStep) throws {
        let own = leaf.depthAsLeaf
        let around = shape == .keyed || shape == .unkeyed ? depth + 1 : depth
        guard own > 0, around + own > PropertyListValue.maximumDepth else { return }
        throw invalid(
            leaf,
            "Containers nest deeper than \(PropertyListValue.maximumDepth).",
            at: step
        )
    }

    // MARK: Values that encode themselves

    func encode<T: Encodable>(_ value: T, forKey key: some CodingKey) throws {
        let name = key.stringValue
        guard shape == .keyed, name.utf8.count <= PropertyListValue.maximumKeyLength else {
            throw invalid(value, "A key is too long.", at: .key(key))
        }
        switch try encodeInside(value, .key(key)) {
        case .value(let value):
            insert(value, forName: name)
        case .pending(let node):
            branch().set(node, forName: name)
        }
    }

    func encodeElement<T: Encodable>(_ value: T) throws {
        guard shape == .unkeyed else { throw invalid(value, "") }
        switch try encodeInside(value, .index(count)) {
        case .value(let value):
            unsafe elements.append(value)
        case .pending(let node):
            branch().elements.append((count, node))
            unsafe elements.append(.dictionary([:]))
        }
    }

    func encodeSingle<T: Encodable>(_ value: T) throws {
        guard shape == .untouched else { throw alreadyEncoded(value) }
        switch try encodeInside(value, .none) {
        case .value(let value):
            try setSingle(value)
        case .pending(let node):
            guard shape == .untouched else { throw alreadyEncoded(value) }
            shape = .single
            branch().single = node
        }
    }

    private enum Outcome {
        case value(PropertyListValue)
        /// Somebody may still write to the node: its value is taken at the end.
        case pending(ValueEncoder)
    }

    /// Lets a value encode itself to a node of its own.
    @inline(never)
    private func encodeInside<T: Encodable>(_ value: T, _ step: PathStep) throws -> Outcome {
        guard level < Self.maximumLevel else {
            throw invalid(value, "Values nest deeper than \(Self.maximumLevel) levels.", at: step)
        }
        let state = state
        let inside = shape == .keyed || shape == .unkeyed ? depth + 1 : depth
        var node = state.node(parent: self, step: step, depth: inside)
        try value.encode(to: node)
        guard isKnownUniquelyReferenced(&node), unsafe node.children == nil else {
            node.deferredType = T.self
            return .pending(node)
        }
        let tree = try node.take(as: T.self)
        state.reuse(node)
        return .value(tree)
    }
}

// MARK: Nested containers

extension ValueEncoder {
    /// Returns the node under a key, which is there from now on; asked again, the same node.
    func child(forKey key: some CodingKey, as kind: Shape) -> ValueEncoder {
        let name = key.stringValue
        guard shape != .refused else { return self }
        guard name.utf8.count <= PropertyListValue.maximumKeyLength else {
            return refuse("A key is too long.", at: .key(key))
        }
        let children = branch()
        if let child = children.nodes[name] {
            guard child.deferredType == nil, kind != .untouched else {
                return child.deferredType == nil
                    ? child : refuse("The key already has a value.", at: .key(key))
            }
            return child.become(kind)
        }
        guard children.values[name] == nil else {
            return refuse("The key already has a value.", at: .key(key))
        }
        let child = newChild(.key(key))
        guard child.shape != .refused else { return child }
        children.nodes[name] = child
        return kind == .untouched ? child : child.become(kind)
    }

    /// Returns a new node at the end of the array, which is there from now on.
    func appendedChild(as kind: Shape) -> ValueEncoder {
        guard shape != .refused else { return self }
        let child = newChild(.index(count))
        guard child.shape != .refused else { return child }
        branch().elements.append((count, child))
        unsafe elements.append(.dictionary([:]))
        return kind == .untouched ? child : child.become(kind)
    }

    private func newChild(_ step: PathStep) -> ValueEncoder {
        guard level < Self.maximumLevel else {
            return refuse("Values nest deeper than \(Self.maximumLevel) levels.", at: step)
        }
        return ValueEncoder(
            parent: self,
            step: step,
            level: level + 1,
            depth: depth + 1,
            state: state
        )
    }

    /// Returns the children of this node, which has them from now on.
    private func branch() -> Children {
        let branch = unsafe children ?? Children()
        if unsafe children == nil, !state.hasEnded {
            unsafe children = branch
            state.adopt(self)
        }
        for (name, value) in unsafe entries { branch.values[name] = value }
        unsafe entries.removeAll()
        return branch
    }
}
