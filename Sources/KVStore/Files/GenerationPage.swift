import Synchronization

/// A number in a file that several processes have mapped, by which each sees that another wrote.
///
/// Writers make it odd before they touch the files and even again when they are done. A reader who
/// finds the even number it knows needs no call to the system.
///
/// Safe because the memory is mapped as long as this object lives.
@safe
package final class GenerationPage: Sendable {
    /// Where the number stands in the file.
    package static let offset = 64

    /// The size that the file must have: reading a page behind the end of its file is a fatal
    /// signal.
    package static let fileSize = 4096

    /// The number: aligned, eight bytes long, and only ever used as this type.
    private nonisolated(unsafe) let word: UnsafePointer<Atomic<UInt64>>
    private let unmap: @Sendable () -> Void
    /// Whether other processes see the number.
    package let isShared: Bool

    /// Uses mapped memory.
    ///
    /// - Parameters:
    ///   - start: The first of ``fileSize`` bytes, which can be written.
    ///   - isShared: Whether other processes have mapped it too.
    ///   - unmap: Called when nothing uses the memory any more.
    package init(
        start: UnsafeMutableRawPointer,
        isShared: Bool = true,
        unmap: @escaping @Sendable () -> Void
    ) {
        self.isShared = isShared
        unsafe word = UnsafePointer(
            start.advanced(by: Self.offset).assumingMemoryBound(to: Atomic<UInt64>.self)
        )
        self.unmap = unmap
    }

    deinit {
        unmap()
    }

    /// Creates a number that nobody else sees, for a writer whose readers look at the files.
    package static func unshared() -> GenerationPage {
        let start = UnsafeMutableRawPointer.allocate(byteCount: fileSize, alignment: 16)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: fileSize)
        // The address is the page's alone until it deallocates the memory, once.
        nonisolated(unsafe) let memory = unsafe start
        return unsafe GenerationPage(start: start, isShared: false) {
            unsafe memory.deallocate()
        }
    }

    /// The number at which a reader's memory is all that was written, and a look at the page.
    ///
    /// It does not keep the page, because counting references would cost a read as much again: it
    /// is kept beside it.
    @safe
    package struct Mark: @unchecked Sendable {
        private let word: UnsafePointer<Atomic<UInt64>>
        private let number: UInt64

        fileprivate init(_ word: UnsafePointer<Atomic<UInt64>>, _ number: UInt64) {
            unsafe self.word = unsafe word
            self.number = number
        }

        /// Whether nothing was written since.
        @inline(__always)
        package var isCurrent: Bool {
            // Whoever has the mark has the page, so the memory is mapped.
            unsafe word.pointee.load(ordering: .acquiring) == number
        }
    }

    /// Returns a mark, to be kept no longer than the page.
    package func mark(at number: UInt64) -> Mark {
        unsafe Mark(word, number)
    }

    /// The number now.
    package var number: UInt64 {
        unsafe word.pointee.load(ordering: .acquiring)
    }

    /// Whether a writer is at work, or died at it.
    package static func isOdd(_ number: UInt64) -> Bool { number & 1 == 1 }

    /// Tells others that the files are about to change.
    ///
    /// Only the holder of the lock may call it.
    package func beginChange() {
        let number = number
        if !Self.isOdd(number) { store(number &+ 1) }
    }

    /// Tells others that the files have changed.
    ///
    /// - Returns: The new number.
    @discardableResult
    package func endChange() -> UInt64 {
        let number = number
        let next = number &+ (Self.isOdd(number) ? 1 : 2)
        store(next)
        return next
    }

    private func store(_ number: UInt64) {
        unsafe word.pointee.store(number, ordering: .sequentiallyConsistent)
    }
}
