/// How a store looks through a scope or through layers: names and values in, names and values out.
///
/// A view is over a base, which is a store or a transaction on it. Names of the view are those of
/// the base without a prefix. A value is the first that is found in the layers above, the base, and
/// the layers below; only the base is listed and written. Scopes have a prefix and no layers,
/// layered stores have layers and no prefix.
struct StoreView: Sendable {
    let prefix: String
    let above: [any KVStoring]
    let below: [any KVStoring]

    init(prefix: String) {
        self.prefix = prefix
        above = []
        below = []
    }

    init(above: [any KVStoring], below: [any KVStoring]) {
        prefix = ""
        self.above = above
        self.below = below
    }

    /// Returns the name in the base for a name of the view, or nil if the base can hold none.
    func baseName(of name: String) -> String? {
        Self.baseName(of: name, prefix: prefix)
    }

    static func baseName(of name: String, prefix: String) -> String? {
        // A name must be legal without its prefix too: an empty one would be the prefix itself.
        guard KeyName.isValid(name) else { return nil }
        if prefix.isEmpty { return name }
        let full = prefix + name
        return KeyName.isValid(full) ? full : nil
    }

    /// Returns the name in the view for a name of the base, or nil if it is outside.
    static func name(ofBase name: String, prefix: String) -> String? {
        if prefix.isEmpty { return name }
        let rest = name.utf8.dropFirst(prefix.utf8.count)
        if !rest.isEmpty, name.utf8.starts(with: prefix.utf8) { return String(Substring(rest)) }
        // A medium may hold a name in another spelling than the one that it was given.
        guard !prefix.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let scalars = name.unicodeScalars
        for end in scalars.indices.dropFirst()
        where String(scalars[..<end]) == prefix {
            return String(scalars[end...])
        }
        return nil
    }
}

extension StoreView {
    func storedValue(for name: String, in base: some KVAccessing) throws -> PropertyListValue? {
        guard let baseName = baseName(of: name) else { return nil }
        for layer in above {
            if let value = try layer.storedValue(for: name) { return value }
        }
        if let value = try base.storedValue(for: baseName) { return value }
        for layer in below {
            if let value = try layer.storedValue(for: name) { return value }
        }
        return nil
    }

    func storedValues(in base: some KVAccessing) throws -> [String: PropertyListValue] {
        let values = try base.storedValues()
        if prefix.isEmpty { return values }
        var own: [String: PropertyListValue] = [:]
        for (baseName, value) in values {
            if let name = Self.name(ofBase: baseName, prefix: prefix) { own[name] = value }
        }
        return own
    }

    func setStoredValue(
        _ value: PropertyListValue?,
        for name: String,
        in base: some KVAccessing
    ) throws {
        guard let baseName = baseName(of: name) else { throw KVStoreError.invalidKey(name) }
        try base.setStoredValue(value, for: baseName)
    }

    func contains(_ name: String, in base: some KVAccessing) -> Bool {
        guard let baseName = baseName(of: name) else { return false }
        return base.contains(KVKey<Bool>(baseName))
    }
}
