import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The lock file of a store: who may write, and by which number readers see that somebody did.
///
/// It is never replaced, shortened or removed, and holds one page: a notice to people, and the
/// number of ``GenerationPage``.
package final class JSONFileLock: Sendable {
    /// How long a writer waits for its turn.
    package static let deadline = FileLock.deadline

    private static let notice = "Lock of the JSON file beside it. Do not delete or change it.\n"

    private struct State {
        var file: OpenFile?
        var page: GenerationPage?
        var forkCount = 0
    }

    package let path: String
    private let system: any FileSystem
    private let allowsRemoteVolume = Atomic<Bool>(false)
    private let state = Mutex(State())

    package init(_ path: String, on system: any FileSystem) {
        self.path = path
        self.system = system
    }

    // MARK: The number

    /// The page, once somebody has made the lock file and it could be mapped.
    package var page: GenerationPage? { state.withLock { $0.page } }

    /// Maps the page of a lock file that another process made.
    package func findPage() -> GenerationPage? {
        if let page { return page }
        do throws(SystemError) {
            let file = try OpenFile(path, .lockExisting, on: system)
            guard try file.status().size >= GenerationPage.fileSize,
                !system.isRemote(file.number)
            else { return nil }
            return use(file, page: try system.map(file.number))
        } catch {
            // There is none, or it cannot be mapped here: reads then ask the system each time.
            return nil
        }
    }

    private func use(_ file: OpenFile, page: GenerationPage) -> GenerationPage {
        let forkCount = ForkCount.current
        return state.withLock { state in
            if let page = state.page, state.forkCount == forkCount { return page }
            state = State(file: file, page: page, forkCount: forkCount)
            return page
        }
    }

    /// Lets the files be written on a volume that other machines may share.
    package func allowRemoteVolume() {
        allowsRemoteVolume.store(true, ordering: .relaxed)
    }

    /// Maps the page of a lock file that is locked.
    private func page(of file: OpenFile) throws -> GenerationPage {
        guard system.isRemote(file.number) else {
            return use(file, page: try system.map(file.number))
        }
        guard allowsRemoteVolume.load(ordering: .relaxed) else {
            throw KVStoreError(
                .unsupportedFileSystem,
                reason:
                    "The file is on a network volume or a similar one, where locks may not reach "
                    + "all who use it. Nothing was stored.",
                file: path
            )
        }
        return .unshared()
    }

    // MARK: Exclusive

    /// Runs a body while no other process writes.
    ///
    /// Within a process, callers take turns by themselves.
    ///
    /// - Parameters:
    ///   - owner: Whose the lock file becomes if it has to be made.
    ///   - deadline: How long to wait.
    ///   - body: What to do; it gets the page.
    /// - Returns: What the body returns.
    /// - Throws: ``KVStoreError`` with ``KVStoreError/Code/busy`` after the deadline; `SystemError`
    ///   if there can be no lock here; what the body throws.
    package func withLock<Result>(
        like owner: FileStatus?,
        deadline: Duration = deadline,
        _ body: (GenerationPage) throws -> Result
    ) throws -> Result {
        let (file, page) = try acquire(like: owner, until: .now + deadline)
        // Explicit, because a process that was forked meanwhile keeps the file open.
        defer { system.unlock(file.number) }
        return try body(page)
    }

    private func acquire(
        like owner: FileStatus?,
        until end: ContinuousClock.Instant
    ) throws -> (OpenFile, GenerationPage) {
        while true {
            let forkCount = ForkCount.current
            let held = state.withLock { state -> (OpenFile, GenerationPage)? in
                guard state.forkCount == forkCount, let file = state.file, let page = state.page
                else { return nil }
                return (file, page)
            }
            if let (file, page) = held {
                try FileLock.wait(for: file.number, at: path, until: end, on: system)
                do throws(SystemError) {
                    if try file.status().linkCount > 0 { return (file, page) }
                } catch {
                    system.unlock(file.number)
                    throw error
                }
                // Whoever deleted the file let others in by a new one.
                system.unlock(file.number)
                state.withLock { $0 = State() }
                continue
            }
            let file = try OpenFile(path, .lock, on: system)
            try FileLock.wait(for: file.number, at: path, until: end, on: system)
            do {
                // Closing it gives the lock up.
                guard try file.status().linkCount > 0 else { continue }
                try prepare(file, like: owner)
                return (file, try page(of: file))
            } catch {
                system.unlock(file.number)
                throw error
            }
        }
    }

    private func prepare(_ file: OpenFile, like owner: FileStatus?) throws(SystemError) {
        let status = try file.status()
        guard status.kind == .file else { throw SystemError(EINVAL, "open") }
        if status.size >= GenerationPage.fileSize { return }
        if let owner {
            try system.setMode(of: file.number, to: owner.mode & 0o666 | 0o600)
            if (owner.owner, owner.group) != (status.owner, status.group) {
                try system.setOwner(of: file.number, to: owner.owner, group: owner.group)
            }
        } else {
            try system.giveToOwner(of: PosixFileSystem.folder(of: path), file.number, status)
        }
        // All bytes: to change a mapped page that has no place on a full disk is a fatal signal.
        var bytes = Array(Self.notice.utf8)
        bytes += [UInt8](repeating: 0, count: GenerationPage.fileSize - bytes.count)
        var written = 0
        while written < bytes.count {
            let count = try system.write(bytes[written...], to: file.number, at: written)
            if count == 0 { throw SystemError(ENOSPC, "write") }
            written += count
        }
    }

    // MARK: Shared

    /// Runs a body while no process writes, if that can be had at once.
    ///
    /// - Returns: What the body returns, or nil if somebody is writing.
    /// - Throws: `SystemError` if there is no lock file, or none can be taken; what the body throws.
    package func withSharedLock<Result>(_ body: () throws -> Result) throws -> Result? {
        // A file of its own: on the one that is kept open, it would take this process's lock over.
        let file = try OpenFile(path, .read, on: system)
        guard try system.lock(file.number, isExclusive: false) else { return nil }
        defer { system.unlock(file.number) }
        guard try file.status().linkCount > 0 else { return nil }
        return try body()
    }

    /// Runs a body as a writer, if that can be had at once.
    package func tryLock(_ body: (GenerationPage) throws -> Void) throws {
        let file = try OpenFile(path, .lockExisting, on: system)
        guard try system.lock(file.number, isExclusive: true) else { return }
        defer { system.unlock(file.number) }
        guard try file.status().linkCount > 0, let page = findPage() else { return }
        try body(page)
    }
}
