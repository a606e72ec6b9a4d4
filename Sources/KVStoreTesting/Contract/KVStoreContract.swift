import KVStore

/// What every store promises, as rules that can be checked one by one.
///
/// A backend's author runs the rules as one parametrised test, so that each rule is a result of its
/// own:
///
/// ```swift
/// @Test(arguments: KVStoreContract.rules(for: [.observes]))
/// func keepsTheContract(rule: KVContractRule) async throws {
///     try await rule.check { BackendKVStore(MyBackend()) }
/// }
/// ```
///
/// A store that keeps its values, or that several objects can share, says how another object over
/// the same values is made, and declares it:
///
/// ```swift
/// @Test(arguments: KVStoreContract.rules(for: [.observes, .persists, .sharesDomain]))
/// func keepsTheContract(rule: KVContractRule) async throws {
///     try await rule.check(overDomains: {
///         let url = directory.appending(path: UUID().uuidString)
///         return { try MyFileKVStore(url: url) }
///     })
/// }
/// ```
///
/// The module does not depend on a test framework: a rule that is not kept throws
/// ``KVContractViolation``, so it can be checked from XCTest or in a program too.
public enum KVStoreContract {
    /// What a store can do beyond reading, writing and transactions.
    ///
    /// Rules that need a feature are left out for a store that does not declare it. Declaring too
    /// much makes rules fail, and declaring too little is for the author to answer for.
    public struct Features: OptionSet, Sendable {
        /// A bit for each feature.
        public let rawValue: Int

        /// Creates a set from the bits of its features.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The store has a feed of its commits.
        public static let observes = Features(rawValue: 1 << 0)
        /// Values outlive the store: one that is opened later over the same place has them.
        public static let persists = Features(rawValue: 1 << 1)
        /// Two stores open over the same place see each other's commits at once.
        public static let sharesDomain = Features(rawValue: 1 << 2)
    }

    /// Every rule, those that need features included.
    public static let rules: [KVContractRule] =
        KVContractRule.shapeRules
        + KVContractRule.valueRules
        + KVContractRule.nilRules
        + KVContractRule.keyRules
        + KVContractRule.transactionRules
        + KVContractRule.concurrencyRules
        + KVContractRule.changeRules
        + KVContractRule.deliveryRules
        + KVContractRule.subscriptionRules
        + KVContractRule.domainRules

    /// Returns the rules that a store with the given features must keep.
    ///
    /// - Parameters:
    ///   - features: What the store can do.
    ///   - soak: How long each rule goes on that looks for races by load alone. A second finds
    ///     ordinary mistakes; an hour before a release finds rare ones.
    /// - Returns: The rules in the order of ``rules``.
    public static func rules(
        for features: Features,
        soak: Duration = .seconds(1)
    ) -> [KVContractRule] {
        rules.filter { features.isSuperset(of: $0.features) }.map { $0.limited(soak: soak) }
    }
}
