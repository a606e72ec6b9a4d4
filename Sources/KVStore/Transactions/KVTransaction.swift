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

    private let domain: any StoreDomain
    private var snapshot: [String: PropertyListValue]?
    private var draft = Draft(expectation: KVExpectation(), changes: [:])
    private var isOpen = true
    /// How many nested bodies are running.
    private var depth = 0

    package init(on domain: any StoreDomain) {
        self.domain = domain
    }

    /// Returns the value under a name as the transaction sees it, or nil where there is none.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read or the transaction has ended.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        try requireOpen()
        guard name.utf8.count <= KeyName.maximumLength else { return nil }
        if let change = draft.changes[name] {
            // Reads give what the commit of a removal will reveal.
            return try change ?? domain.valueBehindAbsence(of: name)
        }
        if let seen = draft.expectation.values[name] { return seen }
        let value = try loadSnapshot()[name] ?? domain.valueBehindAbsence(of: name)
        draft.expectation.values.updateValue(value, forKey: name)
        return value
    }

    /// Returns all values of the store's own domain as the transaction sees them.
    ///
    /// - Throws: ``KVStoreError`` if the storage cannot be read or the transaction has ended.
    public func storedValues() throws -> [String: PropertyListValue] {
        try requireOpen()
        var values = try loadSnapshot()
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

    private func loadSnapshot() throws -> [String: PropertyListValue] {
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
