import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension KVStoreError {
    /// Takes the errors of writes that cannot throw: subscripts, property wrappers, bindings.
    public typealias Handler = @Sendable (any Error) -> Void

    private static let processHandler = Mutex<Handler>(printToStandardError)
    @TaskLocal private static var taskHandler: HandlerBox?

    /// Carries a handler as a task-local value: one that is itself a function crashes in
    /// `TaskLocal.withValue` when optimised by Swift 6.3.1.
    private final class HandlerBox: Sendable {
        let handler: Handler

        init(_ handler: @escaping Handler) { self.handler = handler }
    }

    /// Sets the process-wide handler for the errors of writes that cannot throw.
    ///
    /// The handler runs on the thread of the failed write, under no lock. Until one is set, each
    /// error is printed as one line to standard error.
    public static func setHandler(_ handler: @escaping Handler) {
        processHandler.withLock { $0 = handler }
    }

    /// Runs an operation with a handler of its own, for it and the tasks it creates.
    ///
    /// Tests use it to see the errors of their own writes while other tests run in parallel:
    ///
    /// ```swift
    /// KVStoreError.withHandler({ error in errors.withLock { $0.append(error) } }) {
    ///     brokenStore[Keys.launchCount] = 3
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - handler: Takes the errors of the operation's writes.
    ///   - operation: What to run.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public static func withHandler<Result>(
        _ handler: @escaping Handler,
        operation: () throws -> Result
    ) rethrows -> Result {
        try $taskHandler.withValue(HandlerBox(handler), operation: operation)
    }

    /// Runs an asynchronous operation with a handler of its own, for it and the tasks it creates.
    ///
    /// - Parameters:
    ///   - handler: Takes the errors of the operation's writes.
    ///   - operation: What to run.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public nonisolated(nonsending) static func withHandler<Result>(
        _ handler: @escaping Handler,
        operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await $taskHandler.withValue(HandlerBox(handler), operation: operation)
    }

    /// Hands an error to the handler in force.
    package static func report(_ error: any Error) {
        let handler = taskHandler?.handler ?? processHandler.withLock { $0 }
        handler(error)
    }

    /// Runs a body, hands its error to the handler, and returns whether there was none.
    @discardableResult
    @usableFromInline
    package static func reporting(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            report(error)
            return false
        }
    }

    private static func printToStandardError(_ error: any Error) {
        let line = "KVStore: \(error)".map { $0.isNewline ? " " : String($0) }.joined() + "\n"
        let bytes = Array(line.utf8)
        // One write, so that lines of several threads do not mix; where standard error is closed
        // there is nobody left to tell.
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
