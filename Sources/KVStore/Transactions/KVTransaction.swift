/// The reads and writes of one transaction.
///
/// The body of ``KVAccessing/transaction(_:)`` gets it, and all typed calls work on it. Reads see
/// one state of the store with the transaction's own writes on top; writes are committed together
/// when the body returns. It must stay in its body: it cannot be sent to another task, and used
/// after its body has ended it throws ``KVStoreError/Code/transactionEnded``.
public final class KVTransaction: KVAccessing {
    /// What a transaction asks to be committed.
    package struct Draft {
        package var expectation: KVExpectation
        package var changes: [String: PropertyListValue?]

        package init(expectation: KVExpectation, changes: [String: PropertyListValue?]) {
            self.expectation = expectation
            self.changes = changes
        }
    }

    /// What the transaction reads, and where its writes go.
    private enum Ground {
        case domain(any StoreDomain)
        case view(StoreView, over: KVTransaction)
    }

    private let ground: Ground
    private var snapshot: [String: PropertyListValue]?
    private var draft = Draft(expectation: KVExpectation(), changes: [:])
    private var isOpen = true
    /// How many nested bodies are running.
    private var depth = 0

    package init(on domain: any StoreDomain) {
        ground = .domain(domain)
    }

    /// Creates what a view of a store makes of a transaction on it.
    init(through view: StoreView, on transaction: KVTransaction) {
        ground = .view(view, over: transaction)
    }

    /// Returns the value under a name as the transaction sees it, or nil where there is none.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read or the transaction has ended.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        try requireOpen()
        guard name.utf8.count <= KeyName.maximumLength else { return nil }
        guard case .domain(let domain) = ground else { return try valueInView(of: name) }
        if let change = draft.changes[name] {
            // Reads give what the commit of a removal will reveal.
            return try change ?? domain.valueBehindAbsence(of: name)
        }
        if let seen = draft.expectation.values[name] { return seen }
        let value = try loadSnapshot(of: domain)[name] ?? domain.valueBehindAbsence(of: name)
        draft.expectation.values.updateValue(value, forKey: name)
        return value
    }

    /// Returns all values of the store's own domain as the transaction sees them.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read or the transaction has ended.
    public func storedValues() throws -> [String: PropertyListValue] {
        try requireOpen()
        let domain: any StoreDomain
        switch ground {
        case .domain(let own): domain = own
        case .view(let view, let base): return try view.storedValues(in: base)
        }
        var values = try loadSnapshot(of: domain)
        draft.expectation.domain = values
        for (name, change) in draft.changes { values[name] = change }
        return values
    }

    /// Sets or removes a value when the transaction is committed; it reads so at once.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/invalidKey``, or if the transaction has
    ///   ended; `EncodingError` if the value is nested too deeply.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try requireOpen()
        if case .view(let view, let base) = ground {
            return try view.setStoredValue(value, for: name, in: base)
        }
        guard KeyName.isValid(name) else { throw KVStoreError.invalidKey(name) }
        draft.changes.updateValue(try value?.validated(), forKey: name)
    }

    /// Runs a body whose changes are kept or undone as one, within this transaction.
    ///
    /// - Parameter body: The reads and writes; it gets this transaction.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, after its changes were undone.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try requireOpen()
        if case .view(_, let base) = ground { return try base.transaction { _ in try body(self) } }
        let savepoint = draft.changes
        depth += 1
        defer { depth -= 1 }
        do {
            return try body(self)
        } catch {
            draft.changes = savepoint
            throw error
        }
    }

    /// Returns the value under a name, for a transaction that reads nothing else.
    ///
    /// One value is consistent by itself, so no snapshot is taken, which some media can only give
    /// by reading everything. A nested body is not alone: what is read after it has to be of the
    /// same state.
    package func onlyStoredValue(for name: String) throws -> PropertyListValue? {
        guard depth == 0, snapshot == nil, draft.expectation.values.isEmpty, draft.changes.isEmpty
        else { return try storedValue(for: name) }
        try requireOpen()
        guard name.utf8.count <= KeyName.maximumLength else { return nil }
        guard case .domain(let domain) = ground else { return try valueInView(of: name) }
        let value = try domain.storedValue(for: name)
        draft.expectation.values.updateValue(value, forKey: name)
        return value
    }

    /// Ends the transaction and returns what it asks for.
    ///
    /// The snapshot is let go, so that the commit does not have to copy what it shares with it.
    package func end() -> Draft {
        isOpen = false
        snapshot = nil
        return draft
    }

    /// Returns whether anything is stored under a key, as the transaction sees it.
    ///
    /// See ``KVAccessing/contains(_:)``.
    public func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool {
        if isOpen, case .view(let view, let base) = ground {
            return view.contains(key.name, in: base)
        }
        do {
            return try storedValue(for: key.name) != nil
        } catch {
            return false
        }
    }

    /// Whether the body has set or removed anything.
    package var hasChanges: Bool {
        switch ground {
        case .domain: !draft.changes.isEmpty
        case .view(_, let base): base.hasChanges
        }
    }

    /// Returns the value that the body has set under a name, or nil if it has not.
    func valueSet(for name: String) -> PropertyListValue? {
        switch ground {
        case .domain: draft.changes[name] ?? nil
        case .view(let view, let base):
            view.baseName(of: name).flatMap { base.valueSet(for: $0) }
        }
    }

    private func valueInView(of name: String) throws -> PropertyListValue? {
        guard case .view(let view, let base) = ground else { return nil }
        // What the body set itself reads so, also where a layer above has another value.
        return try valueSet(for: name) ?? view.storedValue(for: name, in: base)
    }

    private func loadSnapshot(of domain: any StoreDomain) throws -> [String: PropertyListValue] {
        if let snapshot { return snapshot }
        let values = try domain.storedValues()
        snapshot = values
        return values
    }

    private func requireOpen() throws {
        guard isOpen else {
            throw KVStoreError(
                .transactionEnded,
                reason: "The transaction's body has ended; nothing was read or stored."
            )
        }
    }
}
