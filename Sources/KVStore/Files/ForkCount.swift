import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Tells a process that was forked from its parent.
///
/// A child inherits its parent's open files, and with them the parent's locks: it would find itself
/// holding a lock that it never took. What holds files open compares the number of forks.
package enum ForkCount {
    private static let count = Atomic<Int>(0)
    private static let isArmed: Bool = {
        // The handler runs in the child, before anything else does, and calls nothing.
        pthread_atfork(nil, nil) { ForkCount.count.wrappingAdd(1, ordering: .relaxed) } == 0
    }()

    /// How many forks lie between the first process that asked and this one.
    package static var current: Int {
        _ = isArmed
        return count.load(ordering: .relaxed)
    }
}
