import KVStore

/// A store with one fault in what it does with failures, over a store that has none.
struct LeakyKVStore: KVStoring {
    enum Fault: String, CaseIterable, Sendable {
        /// Has no fault, to show that the rules fail because of the faults.
        case none
        /// Commits what a body wrote before it threw.
        case keepsChangesOfThrowingBodies
        /// Loses the old value when it refuses a new one.
        case losesOldValues
        /// Stores a null in place of a string that is removed.
        case storesNull
        /// Returns what the first run of a body returned.
        case returnsFirstResult
        /// Holds a lock while a body runs.
        case locksOthersOut
        /// Takes names that no backend can hold for others.
        case repairsNames
        /// Ignores writes that are refused.
        case swallowsRefusals
        /// Reads a stored null as absent.
        case hidesNulls
        /// Removes what a body could not read, and runs it again.
        case healsUndecodable
        /// Hashes names before it looks at their length.
        case hashesEndlessNames
        /// Says that it does not observe.
        case hidesItsFeed
    }

    let store = InMemoryKVStore()
    let fault: Fault
    private let gate = WriterGate()

    init(_ fault: Fault) {
        self.fault = fault
    }

    var feed: (any KVFeed)? {
        switch fault {
        case .hidesItsFeed: nil
        case .hashesEndlessNames: store.feed.map(HashingFeed.init)
        default: store.feed
        }
    }

    func storedValue(for name: String) throws -> PropertyListValue? {
        if fault == .hashesEndlessNames { _ = name.hashValue }
        let value = store.storedValue(for: name)
        return fault == .hidesNulls && value == "$null" ? nil : value
    }

    func storedValues() throws -> [String: PropertyListValue] {
        store.storedValues()
    }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        switch fault {
        case .locksOthersOut:
            try gate.pass { try store.setStoredValue(value, for: name) }
            return
        case .losesOldValues:
            do {
                try store.setStoredValue(value, for: name)
            } catch {
                try store.setStoredValue(nil, for: name)
                throw error
            }
            return
        case .storesNull:
            if value == nil, case .string? = store.storedValue(for: name) {
                try store.setStoredValue("$null", for: name)
                return
            }
        case .swallowsRefusals:
            try? store.setStoredValue(value, for: name)
            return
        default:
            break
        }
        try store.setStoredValue(value, for: fault == .repairsNames ? repaired(name) : name)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        switch fault {
        case .keepsChangesOfThrowingBodies:
            return try store.transaction { transaction in
                Swift.Result { try body(transaction) }
            }.get()
        case .returnsFirstResult:
            return try returningFirstResult(of: body)
        case .locksOthersOut:
            return try gate.pass { try store.transaction(body) }
        case .healsUndecodable:
            do {
                return try store.transaction(body)
            } catch is DecodingError {
                try store.removeAll()
                return try store.transaction(body)
            }
        default:
            return try store.transaction(body)
        }
    }

    private func returningFirstResult<Result>(
        of body: (KVTransaction) throws -> Result
    ) throws -> Result {
        var first: Result?
        return try store.transaction { transaction in
            let result = try body(transaction)
            if let first { return first }
            first = result
            return result
        }
    }

    func flush() {}

    private func repaired(_ name: String) -> String {
        let kept = String(name.unicodeScalars.prefix(1000).filter { $0.properties.isAlphabetic })
        return KeyName.isValid(name) ? name : "_" + kept
    }
}

/// A feed that hashes the names it is given.
private struct HashingFeed: KVFeed {
    let feed: any KVFeed

    func subscribe(
        to names: [String]?,
        initial: Bool,
        bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy
    ) -> KVSubscription {
        _ = names.hashValue
        return feed.subscribe(to: names, initial: initial, bufferingPolicy: bufferingPolicy)
    }

    func observe(
        _ names: [String]?,
        handler: @escaping @Sendable (KVSubscription.Delivery) -> Void
    ) -> KVSubscription {
        feed.observe(names, handler: handler)
    }
}
