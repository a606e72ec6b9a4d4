import Synchronization

/// Tells the store objects over one domain apart.
package struct HandleID: Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    package let number: UInt64

    /// Creates an identity that no other handle of this process has.
    package init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Names the handle that has a number in this process.
    package init(number: UInt64) {
        self.number = number
    }
}
