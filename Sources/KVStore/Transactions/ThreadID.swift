#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Tells threads apart, to see whether a body writes to its own domain.
///
/// A body is synchronous, so it stays on its thread. A task-local value would cost ten times as
/// much, and tasks that a body started would still carry it when the body has ended.
package struct ThreadID: Hashable, Sendable {
    private let bits: UInt

    package static var current: ThreadID {
        #if canImport(Darwin)
        ThreadID(bits: unsafe UInt(bitPattern: pthread_self()))
        #else
        ThreadID(bits: UInt(pthread_self()))
        #endif
    }
}
