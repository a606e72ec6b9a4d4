/// A rule of the contract that a store did not keep.
public struct KVContractViolation: Error, Sendable {
    /// The name of the rule.
    public let rule: String
    /// What the rule expected.
    public let expected: String
    /// What it found instead.
    public let found: String
}

extension KVContractViolation: CustomStringConvertible {
    /// The rule, what it expected and what it found.
    public var description: String {
        "not kept: \(rule): expected \(expected), found \(found)"
    }
}
