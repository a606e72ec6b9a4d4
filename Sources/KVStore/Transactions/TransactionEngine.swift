/// Runs the bodies of transactions: read without a lock, compare when committing, run again.
///
/// No lock is held while a body runs, because a body may wait for anything: two stores that write
/// each other inside their bodies, on two threads or in two processes, would wait for ever. The
/// price is that a body may run more than once. After ``conflictsBeforeTurn`` conflicts a
/// transaction takes the domain's turn, for which other writers wait a bounded while; after
/// ``deadline`` and ``leastRuns`` it gives up.
package enum TransactionEngine {
    /// How long a transaction goes on running its body again.
    package static let deadline = Duration.seconds(5)

    /// How many times a body runs at the least before its transaction gives up: on a slow medium
    /// the time can pass in waiting for others to commit.
    package static let leastRuns = 8

    /// How many times a transaction may lose before it asks for the turn.
    package static let conflictsBeforeTurn = 3

    package static func run<Result>(
        on domain: any StoreDomain,
        by handle: HandleID,
        _ body: (KVTransaction) throws -> Result
    ) throws -> Result {
        try run(on: domain, commit: { draft in try domain.commit(draft, by: handle) }, body)
    }

    /// Runs a body on a domain with a commit of one's own.
    package static func run<Result>(
        on domain: any StoreDomain,
        commit: (KVTransaction.Draft) throws -> Bool,
        _ body: (KVTransaction) throws -> Result
    ) throws -> Result {
        try domain.turns.refuseInsideBody()
        let end = ContinuousClock.now + deadline
        var conflicts = 0
        var hasTurn = false
        defer { if hasTurn { domain.turns.passOn() } }
        while true {
            let transaction = KVTransaction(on: domain)
            let result = try domain.turns.runBody {
                do {
                    return try body(transaction)
                } catch {
                    _ = transaction.end()
                    throw error
                }
            }
            let draft = transaction.end()
            if draft.changes.isEmpty { return result }
            if try commit(draft) { return result }
            conflicts += 1
            if !hasTurn, conflicts >= conflictsBeforeTurn {
                hasTurn = domain.turns.take(until: end)
            }
            guard conflicts < leastRuns || ContinuousClock.now < end else {
                throw KVStoreError(
                    .busy,
                    reason: "Other writers changed what the transaction reads, \(conflicts) times "
                        + "in a row. Nothing was stored."
                )
            }
        }
    }
}
