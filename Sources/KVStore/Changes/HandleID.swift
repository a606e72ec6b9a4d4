import Synchronization

/// Tells the store objects over one domain apart.
package struct HandleID: Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    private let number: UInt64

    /// Creates an identity that no other handle of this process has.
    package init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
