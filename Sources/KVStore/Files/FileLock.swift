#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The lock that processes take in turn before they change a store's files.
///
/// It is `flock` on a file of its own that is never replaced: a lock on the data file would be on a
/// dead file once that is replaced. The system gives the lock up when its holder dies, however that
/// happens. The file is opened for each use, because a child process that inherited an open one
/// would hold its parent's lock.
package struct FileLock: Sendable {
    /// How long a caller waits for its turn.
    package static let deadline = Duration.seconds(10)

    private static let notice: [UInt8] = Array(
        "This file keeps processes apart that use the file beside it. Do not delete it.\n".utf8
    )

    package let path: String
    private let system: any FileSystem

    package init(_ path: String, on system: any FileSystem) {
        self.path = path
        self.system = system
    }

    /// Runs a body while no other process runs one under the same lock.
    ///
    /// - Parameters:
    ///   - owner: Whose the lock file becomes if it has to be made, so that it can be opened by
    ///     whoever can open the data file.
    ///   - body: What to do; it gets the lock file.
    /// - Returns: What the body returns.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/busy`` after ``deadline``; `SystemError`
    ///   if there can be no lock here; what the body throws.
    package func withLock<Result>(
        like owner: FileStatus?,
        _ body: (OpenFile) throws -> Result
    ) throws -> Result {
        let file = try acquire(like: owner)
        // Explicit, because a process that was forked meanwhile keeps the file open.
        defer { system.unlock(file.number) }
        return try body(file)
    }

    /// Runs a body that has no use for the lock file itself.
    package func withLock<Result>(
        like owner: FileStatus?,
        _ body: () throws -> Result
    ) throws -> Result {
        try withLock(like: owner) { (_: OpenFile) in try body() }
    }

    private func acquire(like owner: FileStatus?) throws -> OpenFile {
        let end = ContinuousClock.now + Self.deadline
        while true {
            let file = try OpenFile(path, .lock, on: system)
            try prepare(file, like: owner)
            try Self.wait(for: file.number, at: path, until: end, on: system)
            // Whoever deleted the file let others in by a new one; this lock is then worth nothing.
            if try isInPlace(file) { return file }
            guard ContinuousClock.now < end else {
                throw KVStoreError(
                    .busy,
                    reason: "The lock file kept being replaced. Nothing was stored.",
                    file: path
                )
            }
        }
    }

    /// Waits until an open lock file is locked for this process.
    ///
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/busy`` when the time is over.
    package static func wait(
        for file: FileNumber,
        at path: String,
        until end: ContinuousClock.Instant,
        on system: any FileSystem
    ) throws {
        var pause: UInt32 = 50
        while try !system.lock(file, isExclusive: true) {
            guard ContinuousClock.now < end else {
                throw KVStoreError(
                    .busy,
                    reason: "Another process kept the file locked for too long. "
                        + "Nothing was stored.",
                    file: path
                )
            }
            // Random, because those who wait in step keep meeting.
            usleep(UInt32.random(in: pause / 2...pause))
            pause = min(pause * 2, 4000)
        }
    }

    private func isInPlace(_ file: OpenFile) throws -> Bool {
        do throws(SystemError) {
            return try system.status(at: path).isSameFile(as: file.status())
        } catch  where error.isAbsence {
            return false
        }
    }

    private func prepare(_ file: OpenFile, like owner: FileStatus?) throws {
        let status = try file.status()
        guard status.kind == .file else { throw SystemError(EINVAL, "open") }
        guard status.size == 0 else { return }
        if let owner {
            try system.setMode(of: file.number, to: owner.mode & 0o666 | 0o600)
            if (owner.owner, owner.group) != (status.owner, status.group) {
                try system.setOwner(of: file.number, to: owner.owner, group: owner.group)
            }
        }
        _ = try system.write(Self.notice[...], to: file.number, at: 0)
    }
}
