import Dispatch
public import KVStore
import Synchronization

/// A store that fails where it is told to, to test what a program does then.
///
/// ```swift
/// let broken = Preferences(store: FailingKVStore(store))   // every write throws
/// #expect(throws: KVStoreError.self) { try broken.setTheme(.dark) }
/// ```
///
/// A plan looks at each call and says what is wrong with it, if anything:
///
/// ```swift
/// let store = FailingKVStore(InMemoryKVStore()) { call in
///     switch call.kind {
///     case .write where call.number == 3: .error(DiskFull())
///     case .read where call.key == "theme": .corruption(["no": "theme"])
///     case .flush: .delay(.milliseconds(50))
///     default: nil
///     }
/// }
/// ```
///
/// What is not wrong goes to the store beneath, whose feed it has. Inside a transaction's body reads
/// and writes are not calls of their own: the commit of what the body changed is one write.
public final class FailingKVStore: KVStoring {
    /// A call to the store, which a plan may have fail.
    public struct Call: Sendable {
        /// What a call does.
        public enum Kind: Hashable, Sendable {
            /// Reads one value, or whether it is there.
            case read
            /// Reads all values.
            case list
            /// Sets or removes a value, or commits a transaction that does.
            case write
            /// Flushes the store.
            case flush
        }

        /// What the call does.
        public let kind: Kind
        /// The name of the key, or nil for a listing, a flush and the commit of a transaction.
        public let key: String?
        /// How many calls of this kind the store has had, this one included.
        ///
        /// A body that runs again counts again.
        public let number: Int
    }

    /// What is wrong with a call.
    public enum Fault: Sendable {
        /// The call throws and does nothing.
        case error(any Error)
        /// The call does what it should and then throws.
        case errorAfterwards(any Error)
        /// The call waits and then does what it should.
        case delay(Duration)
        /// A read gives this instead of what is stored, and a write of a single key stores it.
        ///
        /// Other calls are made as they are.
        case corruption(PropertyListValue?)
    }

    private let store: any KVStoring
    private let plan: @Sendable (Call) -> Fault?
    private let counts = Mutex<[Call.Kind: Int]>([:])

    /// Creates a store that fails at every write and nowhere else.
    ///
    /// - Parameters:
    ///   - store: The store beneath.
    ///   - error: What a write throws; without one, a `KVStoreError` with the code `unwritable`.
    public convenience init(_ store: any KVStoring, throwing error: (any Error)? = nil) {
        let error =
            error
            ?? KVStoreError(
                .unwritable,
                reason: "A FailingKVStore was told to fail. Nothing was stored."
            )
        self.init(store) { $0.kind == .write ? .error(error) : nil }
    }

    /// Creates a store that fails as planned.
    ///
    /// - Parameters:
    ///   - store: The store beneath.
    ///   - plan: Says what is wrong with a call, or nil. It runs on the thread of the call, under no
    ///     lock, before the call is made.
    public init(_ store: any KVStoring, plan: @escaping @Sendable (Call) -> Fault?) {
        self.store = store
        self.plan = plan
    }

    /// Returns the value stored under a name, unless that is planned to fail.
    ///
    /// - Throws: What the plan says, or what the store beneath throws.
    public func storedValue(for name: String) throws -> PropertyListValue? {
        let fault = fault(at: .read, key: name)
        if case .corruption(let value)? = fault { return value }
        return try call(fault) { try store.storedValue(for: name) }
    }

    /// Returns all values, unless that is planned to fail.
    ///
    /// - Throws: What the plan says, or what the store beneath throws.
    public func storedValues() throws -> [String: PropertyListValue] {
        try call(fault(at: .list)) { try store.storedValues() }
    }

    /// Stores or removes a value, unless that is planned to fail.
    ///
    /// - Throws: What the plan says, or what the store beneath throws.
    public func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        var value = value
        let fault = fault(at: .write, key: name)
        if case .corruption(let other)? = fault { value = other }
        try call(fault) { try store.setStoredValue(value, for: name) }
    }

    /// Returns whether the store beneath contains a key; false if that is planned to fail.
    public func contains<Key: KVKeyProtocol>(_ key: Key) -> Bool {
        let fault = fault(at: .read, key: key.name)
        if case .corruption(let value)? = fault { return value != nil }
        do {
            return try call(fault) { store.contains(key) }
        } catch {
            return false
        }
    }

    /// Runs a body whose changes are committed together, unless that is planned to fail.
    ///
    /// - Throws: What the plan says, or what the store beneath throws.
    public func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        var late: (any Error)?
        let result = try store.transaction { transaction in
            let result = try body(transaction)
            late = nil
            guard transaction.hasChanges else { return result }
            let fault = fault(at: .write)
            if case .errorAfterwards(let error)? = fault {
                late = error
                return result
            }
            return try call(fault) { result }
        }
        if let late { throw late }
        return result
    }

    /// Flushes the store beneath, unless that is planned to fail.
    ///
    /// - Throws: What the plan says, or what the store beneath throws.
    public func flush() throws {
        try call(fault(at: .flush)) { try store.flush() }
    }

    /// The commits made to the store beneath, or nil if it does not observe.
    public var feed: (any KVFeed)? {
        store.feed
    }

    private func fault(at kind: Call.Kind, key: String? = nil) -> Fault? {
        let number = counts.withLock { counts in
            counts[kind, default: 0] += 1
            return counts[kind] ?? 0
        }
        return plan(Call(kind: kind, key: key, number: number))
    }

    private func call<Result>(_ fault: Fault?, _ body: () throws -> Result) throws -> Result {
        switch fault {
        case .error(let error)?:
            throw error
        case .errorAfterwards(let error)?:
            _ = try body()
            throw error
        case .delay(let delay)?:
            let (seconds, attoseconds) = delay.components
            _ = DispatchSemaphore(value: 0)
                .wait(timeout: .now() + Double(seconds) + Double(attoseconds) * 1e-18)
            return try body()
        case .corruption?, nil:
            return try body()
        }
    }
}
