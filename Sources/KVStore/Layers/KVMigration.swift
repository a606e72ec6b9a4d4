/// What has to be done to values that an older version of a program stored.
///
/// Steps have numbers, and the store holds the number of the last step that was made. At launch,
/// before anything else is read:
///
/// ```swift
/// let migration = KVMigration([
///     KVMigration.Step(1) { t in try t.rename(Keys.nickname, previousName: "userName") },
///     KVMigration.Step(2) { t in
///         try t.retype(Keys.fontSize) { raw in try Double(raw.decode(String.self)) }
///     },
/// ])
/// try migration.run(on: store)
/// ```
///
/// Each step and its number are committed as one: a process that is killed at any moment, or a step
/// that throws, leaves the store between two steps, and the next run goes on from there. Several
/// processes may run a migration at once; each step is made by one of them. A store without any key
/// is new: it gets the number of the last step and no step is run. A store that has keys and no
/// number is at 0.
///
/// Steps see the stored trees, before any key decodes them. They run on a transaction, so on
/// conflicts they **run again**. Run a migration on the store that persists and not on a
/// ``LayeredKVStore``, whose reads would carry launch arguments into it.
public struct KVMigration: Sendable {
    /// One step: what brings a store from the version before to this one.
    public struct Step: Sendable {
        /// The number of the store's version after the step.
        public let version: Int
        fileprivate let body: @Sendable (KVTransaction) throws -> Void

        /// Creates a step.
        ///
        /// - Parameters:
        ///   - version: The number of the store's version after the step, from 1.
        ///   - body: What to change. It may run more than once.
        public init(_ version: Int, _ body: @escaping @Sendable (KVTransaction) throws -> Void) {
            self.version = version
            self.body = body
        }
    }

    private let steps: [Step]
    private let versionKey: KVKey<Int>

    /// The version of a store after the last step.
    private var newest: Int { steps.last?.version ?? 0 }

    /// Creates a migration.
    ///
    /// Steps stay in the list as long as there may be stores from before them. That their numbers
    /// begin at 1 or above and grow is a precondition.
    ///
    /// - Parameters:
    ///   - steps: The steps in the order of their versions.
    ///   - versionKey: The key under which the store holds its version.
    public init(_ steps: [Step], versionKey: KVKey<Int> = KVKey("schemaVersion")) {
        var last = 0
        for step in steps {
            precondition(
                step.version > last,
                "The versions of a migration's steps must begin at 1 or above and grow."
            )
            last = step.version
        }
        self.steps = steps
        self.versionKey = versionKey
    }

    /// Makes the steps that a store has not had yet.
    ///
    /// - Parameter store: The store that persists.
    /// - Returns: The versions of the steps that were made, in order.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/newerVersion`` if the store has a version
    ///   above the last step's; `DecodingError` if its version cannot be read; what a step throws;
    ///   why the store could not be written. The steps before it stay made.
    @discardableResult
    public func run(on store: some KVStoring) throws -> [Int] {
        // Without steps there is still to see that the store is no newer.
        if steps.isEmpty { _ = try store.transaction { try isNew(at: nil, in: $0) } }
        return try steps.compactMap { step in
            try store.transaction { try make(step, in: $0) } ? step.version : nil
        }
    }

    /// Returns what a run would change in a store, and changes nothing.
    ///
    /// All steps run, in one transaction that is undone.
    ///
    /// - Parameter store: The store that persists.
    /// - Returns: The keys that would change, the version's among them, sorted by name.
    /// - Throws: What ``run(on:)`` would throw for a step.
    public func preview(on store: some KVStoring) throws -> [KVCommit.Change] {
        do {
            return try store.transaction { transaction in
                let old = try transaction.storedValues()
                for step in steps { _ = try make(step, in: transaction) }
                let new = try transaction.storedValues()
                throw Undoing(changes: changes(from: old, to: new))
            }
        } catch let undoing as Undoing {
            return undoing.changes
        }
    }

    /// What ends the transaction of a preview.
    private struct Undoing: Error {
        let changes: [KVCommit.Change]
    }

    /// Makes a step that is still to be made, and returns whether it was.
    private func make(_ step: Step, in transaction: KVTransaction) throws -> Bool {
        let version = try transaction.value(for: versionKey)
        if try isNew(at: version, in: transaction) {
            try transaction.set(versionKey, value: newest)
            return false
        }
        guard version ?? 0 < step.version else { return false }
        try step.body(transaction)
        try transaction.set(versionKey, value: step.version)
        return true
    }

    /// Returns whether a store has had no version of the program, and refuses too new a one.
    private func isNew(at version: Int?, in transaction: KVTransaction) throws -> Bool {
        let stored = try version ?? transaction.value(for: versionKey)
        guard let stored else { return try transaction.storedValues().isEmpty }
        guard stored <= newest else {
            throw KVStoreError(
                .newerVersion,
                reason: "The store has version \(stored) and this program knows up to \(newest). "
                    + "Nothing was changed.",
                key: versionKey.name
            )
        }
        return false
    }

    private func changes(
        from old: [String: PropertyListValue],
        to new: [String: PropertyListValue]
    ) -> [KVCommit.Change] {
        Set(old.keys).union(new.keys).sorted()
            .filter { old[$0] != new[$0] }
            .map { KVCommit.Change(name: $0, old: old[$0], new: new[$0]) }
    }
}

extension KVTransaction {
    /// Gives a key the value that was stored under a name it had before, as it is.
    ///
    /// The old name is removed. If the key has a value already, that stays, and so does the old one.
    ///
    /// - Parameters:
    ///   - key: The key under its present name.
    ///   - previousName: The name that it had before.
    /// - Throws: ``KVStoreError`` if the storage cannot be read or the key's name is not legal.
    public func rename<Key: KVKeyProtocol>(_ key: Key, previousName: String) throws {
        guard let value = try storedValue(for: previousName), !contains(key) else { return }
        try setStoredValue(value, for: key.name)
        try setStoredValue(nil, for: previousName)
    }

    /// Gives a key what is made of its stored tree, so that it reads as the key's type.
    ///
    /// - Parameters:
    ///   - key: The key with its present type.
    ///   - convert: Returns the value for a stored tree of whatever shape, or nil to remove the key.
    ///     It is not called if the key is absent.
    /// - Throws: What the conversion throws, which leaves the value as it is; `EncodingError`;
    ///   ``KVStoreError`` if the storage cannot be read.
    public func retype<Key: KVKeyProtocol>(
        _ key: Key,
        _ convert: (PropertyListValue) throws -> Key.Value?
    ) throws {
        guard let raw = try storedValue(for: key.name) else { return }
        try setStoredValue(convert(raw).flatMap { try key.stored(value: $0) }, for: key.name)
    }
}
