package import Testing

/// Runs the tests of a suite on threads that are kept for them.
///
/// Tests that wait for other processes, or compute for long, hold on to the thread they run on. Of
/// the threads that Swift gives to tasks there are as many as cores, so two such tests stop every
/// test that waits for a delivery.
package struct OnOwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WorkerThreads.shared) { try await function() }
    }
}

extension Trait where Self == OnOwnThreads {
    /// Runs the tests of a suite on threads that are kept for them.
    package static var onOwnThreads: Self { OnOwnThreads() }
}
