public import KVStore
import Synchronization

extension ReactiveKVStore {
    /// Changes the value of a key by an asynchronous body, one update of this store at a time.
    ///
    /// ```swift
    /// try await store.update(Keys.session) { session in
    ///     session = try await server.renew(session)
    /// }
    /// ```
    ///
    /// Updates run one after another, in the order in which they came, whichever keys they are for.
    /// Nothing is locked meanwhile: the synchronous calls go on working. When the body has
    /// returned, the store compares: if another writer changed the key since the body read it, the
    /// body **runs again** with the newer value; otherwise its value is stored.
    ///
    /// The body runs where its caller does, so one that is called on the main actor may touch the
    /// state of a view model. It must not call this method on the same store and wait for it.
    ///
    /// - Parameters:
    ///   - key: The key to change.
    ///   - body: Changes the value it gets in place.
    /// - Returns: What the body returns, of the run whose value was stored.
    /// - Throws: `CancellationError` if the task is cancelled before the value is stored, and then
    ///   nothing is; `DecodingError` if the stored value cannot be read, and then it stays
    ///   untouched; ``KVStoreError`` with ``KVStoreError/Code/nestedWrite`` inside another update's
    ///   body; what the body throws, and why the storage could not be written.
    @_disfavoredOverload  // Lets a synchronous body pick the synchronous `update` in async code.
    public nonisolated(nonsending) func update<Result, Key: KVKeyProtocol>(
        _ key: Key,
        _ body: nonisolated(nonsending) (inout Key.Reading) async throws -> Result
    ) async throws -> Result {
        if let running = UpdateQueue.running, running.isRunning(in: self) {
            throw KVStoreError(
                .nestedWrite,
                reason: "The body of an asynchronous update started another one on the same store. "
                    + "The inner one was refused.",
                key: key.name
            )
        }
        try await beginUpdate()
        let marker = UpdateQueue.Marker(self, inner: UpdateQueue.running)
        do {
            let result = try await UpdateQueue.$running.withValue(marker) {
                try await runUpdate(key, body)
            }
            marker.end()
            await endUpdate()
            return result
        } catch {
            marker.end()
            await endUpdate()
            throw error
        }
    }

    /// Changes the value of a key for an optional type by an asynchronous body.
    ///
    /// - Parameters:
    ///   - key: The key to change.
    ///   - body: Changes the value it gets in place; nil is absent and removes.
    /// - Returns: What the body returns, of the run whose value was stored.
    /// - Throws: `CancellationError` if the task is cancelled before the value is stored;
    ///   `DecodingError` if the stored value cannot be read; what the body throws, and why the
    ///   storage could not be written.
    @_disfavoredOverload
    public nonisolated(nonsending) func update<Wrapped, Result>(
        _ key: KVKey<Wrapped?>,
        _ body: nonisolated(nonsending) (inout Wrapped?) async throws -> Result
    ) async throws -> Result {
        try await update(key) { (reading: inout Wrapped??) in
            var value = reading ?? nil
            let result = try await body(&value)
            reading = .some(value)
            return result
        }
    }

    /// Runs a body until its value is stored over the value that it read.
    private nonisolated(nonsending) func runUpdate<Key: KVKeyProtocol, Result>(
        _ key: Key,
        _ body: nonisolated(nonsending) (inout Key.Reading) async throws -> Result
    ) async throws -> Result {
        while true {
            let read = try storedValue(for: key.name)
            var value = try key.reading(read)
            let result = try await body(&value)
            try Task.checkCancellation()
            let new = try key.stored(value)
            let isStored = try transaction { transaction in
                guard try transaction.storedValue(for: key.name) == read else { return false }
                try transaction.setStoredValue(new, for: key.name)
                return true
            }
            if isStored { return result }
        }
    }

    private func beginUpdate() async throws {
        try Task.checkCancellation()
        guard let ticket = updates.enter() else { return }
        try await withTaskCancellationHandler {
            // The continuation is stored before this method gives up the actor, so a cancellation
            // finds it.
            try await withCheckedThrowingContinuation { updates.wait($0, with: ticket) }
        } onCancel: {
            Task { await cancelWaiting(ticket) }
        }
    }

    private func cancelWaiting(_ ticket: UpdateQueue.Ticket) {
        updates.cancel(ticket)?.resume(throwing: CancellationError())
    }

    private func endUpdate() {
        updates.leave()?.resume()
    }
}

/// The asynchronous updates of one store: one runs, the others wait in the order they came.
struct UpdateQueue {
    typealias Continuation = CheckedContinuation<Void, any Error>
    typealias Ticket = UInt64

    /// An update that runs in the present task or in one that it started.
    final class Marker: Sendable {
        private let store: ObjectIdentifier
        private let inner: Marker?
        private let hasEnded = Atomic(false)

        init(_ store: ReactiveKVStore, inner: Marker?) {
            self.store = ObjectIdentifier(store)
            self.inner = inner
        }

        func end() {
            hasEnded.store(true, ordering: .relaxed)
        }

        /// Whether this update or one around it runs in a store.
        ///
        /// A task that outlives the update in which it was started still carries the marker.
        func isRunning(in store: ReactiveKVStore) -> Bool {
            if self.store == ObjectIdentifier(store), !hasEnded.load(ordering: .relaxed) {
                return true
            }
            return inner?.isRunning(in: store) ?? false
        }
    }

    @TaskLocal static var running: Marker?

    private var isBusy = false
    private var lastTicket: Ticket = 0
    private var waiting: [(ticket: Ticket, continuation: Continuation)] = []

    /// Enters if nobody is inside; otherwise returns the ticket to wait with.
    mutating func enter() -> Ticket? {
        guard isBusy else {
            isBusy = true
            return nil
        }
        lastTicket += 1
        return lastTicket
    }

    mutating func wait(_ continuation: Continuation, with ticket: Ticket) {
        waiting.append((ticket, continuation))
    }

    /// Takes somebody out of the line; nil if it was let in already.
    mutating func cancel(_ ticket: Ticket) -> Continuation? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiting.remove(at: index).continuation
    }

    /// Leaves, and lets the next in line in.
    mutating func leave() -> Continuation? {
        guard !waiting.isEmpty else {
            isBusy = false
            return nil
        }
        return waiting.removeFirst().continuation
    }
}
