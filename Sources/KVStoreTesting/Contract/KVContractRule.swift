public import KVStore

/// One promise of the contract, and how to check that a store keeps it.
///
/// Rules come from ``KVStoreContract/rules(for:soak:)``.
public struct KVContractRule: Sendable, Identifiable {
    /// The promise in a few words, different for each rule.
    public let name: String
    /// What is checked, in a sentence.
    public let summary: String
    /// What a store must be able to do for the rule to apply to it.
    public let features: KVStoreContract.Features

    private let body: @Sendable (Trial) async throws -> Void
    private var soak = Duration.seconds(1)
    private var patience = Duration.seconds(30)
    private var nameLength = KeyName.maximumLength

    /// The name.
    public var id: String { name }

    private init(
        _ name: String,
        _ summary: String,
        needs features: KVStoreContract.Features,
        body: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.features = features
        self.body = body
    }

    /// Checks the rule over stores that share nothing.
    ///
    /// A store that hangs fails the rule after a while instead of hanging the check.
    ///
    /// - Parameter makeStore: Makes a new, empty store at each call.
    /// - Throws: ``KVContractViolation`` if a store does not keep the rule, or if the rule needs
    ///   more than one store over the same values; what `makeStore` throws.
    public func check(
        _ makeStore: @escaping @Sendable () throws -> any KVStoring
    ) async throws {
        try await check(Trial.Subject(isReopenable: false) { makeStore })
    }

    /// Checks the rule over stores of which several can be made over the same values.
    ///
    /// - Parameter makeDomain: Makes a new, empty place for values at each call, and returns a
    ///   closure that opens a store over it: for the first time, beside the store that is open, and
    ///   again after all stores over it have been released.
    /// - Throws: ``KVContractViolation`` if a store does not keep the rule; what `makeDomain` and
    ///   the closures it returns throw.
    public func check(
        overDomains makeDomain:
            @escaping @Sendable () throws -> @Sendable () throws -> any KVStoring
    ) async throws {
        try await check(Trial.Subject(isReopenable: true, makeDomain: makeDomain))
    }

    private func check(_ subject: Trial.Subject) async throws {
        let trial = Trial(
            rule: name,
            subject: subject,
            soak: soak,
            patience: patience,
            nameLength: nameLength
        )
        do {
            try await CheckLimiter.run { try await body(trial) }
        } catch let violation as KVContractViolation {
            throw violation
        } catch let failure as Trial.FactoryFailure {
            throw failure.error
        } catch {
            throw trial.violation(expected: "no error", found: "\(error)")
        }
    }

    /// Returns the rule with other limits.
    ///
    /// - Parameters:
    ///   - soak: How long a rule goes on that looks for races by load alone.
    ///   - patience: How long a rule waits for what must come before it is a violation.
    ///   - nameLength: How many bytes of UTF-8 the stores take in a name; a scope takes fewer.
    /// - Returns: The rule, otherwise the same.
    package func limited(
        soak: Duration? = nil,
        patience: Duration? = nil,
        nameLength: Int? = nil
    ) -> KVContractRule {
        var rule = self
        if let soak { rule.soak = soak }
        if let patience { rule.patience = patience }
        if let nameLength { rule.nameLength = nameLength }
        return rule
    }
}

extension KVContractRule: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension KVContractRule {
    /// A rule whose steps are synchronous; they run on a thread of their own, so that a store that
    /// hangs can be told from one that is slow.
    static func steps(
        _ name: String,
        _ summary: String,
        needs features: KVStoreContract.Features = [],
        _ body: @escaping @Sendable (Trial) throws -> Void
    ) -> KVContractRule {
        KVContractRule(name, summary, needs: features) { trial in
            try await trial.startThreads(1) { _ in try body(trial) }.join(times: 4)
        }
    }

    /// A rule that waits for deliveries.
    static func waiting(
        _ name: String,
        _ summary: String,
        needs features: KVStoreContract.Features = .observes,
        _ body: @escaping @Sendable (Trial) async throws -> Void
    ) -> KVContractRule {
        KVContractRule(name, summary, needs: features, body: body)
    }
}
