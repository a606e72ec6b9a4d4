/// What a commit relies on: the values that its transaction read.
///
/// A ``KVBackend`` compares it with what is stored at the moment of the commit, in the same step in
/// which it stores the changes.
public struct KVExpectation: Sendable {
    /// The values read, by name; nil where the key was absent.
    public package(set) var values: [String: PropertyListValue?] = [:]

    /// Everything the domain held, if the transaction listed it; a key more or less is a conflict.
    public package(set) var domain: [String: PropertyListValue]?

    package init() {}

    /// Returns whether the values of a whole domain are what was expected.
    public func isMet(by stored: [String: PropertyListValue]) -> Bool {
        if let domain, domain != stored { return false }
        return values.allSatisfy { name, value in stored[name] == value }
    }
}
