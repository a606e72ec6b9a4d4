import Foundation
import KVStore
import Synchronization

/// A process's calls to a disk in memory: counted, and made to fail or to stop at will.
final class MemoryFileSystem: FileSystem {
    /// A call that is being made.
    struct Call: Hashable {
        let name: String
        let thread: UInt
        /// How many bytes it writes.
        var size = 0
    }

    private struct State {
        var calls: [Call] = []
        var callsLeft: Int?
        var error: Int32 = EIO
        var failing: [String: Int32] = [:]
        var isStopped = false
        var isBuried = false
        var hook: (@Sendable (String) -> Void)?
    }

    private static let lastProcess = Atomic<Int>(0)

    let disk: MemoryDisk
    private let process = MemoryFileSystem.lastProcess.add(1, ordering: .relaxed).newValue
    private let state = Mutex(State())

    init(_ disk: MemoryDisk) {
        self.disk = disk
    }

    /// The calls so far, of all threads.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Opens the store in a file of the disk.
    func domain(at path: String = "/settings.json") throws -> JSONFileDomain {
        let domain = JSONFileDomain(JSONFileEngine(path: path, on: self))
        try domain.file.load(quarantining: false)
        return domain
    }

    /// Calls a function before each call is made.
    func beforeEachCall(_ hook: (@Sendable (String) -> Void)?) {
        state.withLock { $0.hook = hook }
    }

    /// Lets a number of calls pass and fails the next one.
    func fail(after calls: Int, _ error: Int32 = EIO) {
        state.withLock { state in
            state.callsLeft = calls
            state.error = error
        }
    }

    /// Fails every call of a name from now on.
    func failAlways(_ name: String, _ error: Int32) {
        state.withLock { $0.failing[name] = error }
    }

    /// The names of the calls that a body makes on its own thread.
    func calls(of body: () throws -> Void) rethrows -> [Call] {
        let before = calls.count
        try body()
        let thread = Self.thread
        return calls[before...].filter { $0.thread == thread }
    }

    private static var thread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue) }

    /// Whether the call that is to fail has been made.
    var hasFailed: Bool { state.withLock { $0.callsLeft == nil } }

    /// Ends the process, as a signal does.
    ///
    /// What still runs on behalf of it finds that its files were removed, and gives up.
    func kill() {
        state.withLock { $0.isBuried = true }
        disk.state.withLock { $0.closeAll(of: process) }
    }

    private func pass(_ name: String, size: Int = 0) throws(SystemError) {
        let thread = Self.thread
        let (error, hook) = state.withLock { state -> (Int32?, (@Sendable (String) -> Void)?) in
            if state.isBuried { return (EIO, nil) }
            state.calls.append(Call(name: name, thread: thread, size: size))
            if let error = state.failing[name] { return (error, state.hook) }
            guard let left = state.callsLeft else { return (nil, state.hook) }
            state.callsLeft = left == 0 ? nil : left - 1
            return (left == 0 ? state.error : nil, state.hook)
        }
        hook?(name)
        if let error { throw SystemError(error, name) }
    }

    private func perform<Result: Sendable>(
        _ name: String,
        size: Int = 0,
        _ body: (inout MemoryDisk.State) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        try pass(name, size: size)
        return try disk.state.withLock { state throws(SystemError) in try body(&state) }
    }

    // MARK: Files

    func open(
        _ path: String,
        _ access: FileAccess,
        mode: UInt32
    ) throws(SystemError) -> FileNumber {
        try perform("open") { state throws(SystemError) in
            try state.open(path, access, mode: mode, by: process)
        }
    }

    func close(_ file: FileNumber) {
        disk.state.withLock { $0.close(file) }
    }

    func read(_ file: FileNumber, from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        try perform("read") { state throws(SystemError) in
            try state.read(file, from: offset, count: count)
        }
    }

    func write(
        _ bytes: ArraySlice<UInt8>,
        to file: FileNumber,
        at offset: Int?
    ) throws(SystemError) -> Int {
        do throws(SystemError) {
            return try perform("write", size: bytes.count) { state throws(SystemError) in
                try state.write(bytes, to: file, at: offset)
            }
        } catch {
            // A full disk takes the beginning.
            return try disk.state.withLock { state throws(SystemError) in
                _ = try state.write(bytes.prefix(bytes.count / 2), to: file, at: offset)
                throw error
            }
        }
    }

    func truncate(_ file: FileNumber, to size: Int) throws(SystemError) {
        try perform("truncate") { state throws(SystemError) in
            try state.truncate(file, to: size)
        }
    }

    func synchronize(_ file: FileNumber) throws(SystemError) {
        try perform("synchronize") { state throws(SystemError) in try state.synchronize(file) }
    }

    func synchronizeData(_ file: FileNumber) throws(SystemError) {
        try perform("synchronizeData") { state throws(SystemError) in
            try state.synchronize(file)
        }
    }

    func map(_ file: FileNumber) throws(SystemError) -> GenerationPage {
        try perform("mmap") { state throws(SystemError) in try state.map(file) }
    }

    func isRemote(_ file: FileNumber) -> Bool { false }

    func status(of file: FileNumber) throws(SystemError) -> FileStatus {
        if state.withLock({ $0.isBuried }) {
            let time = FileStatus.Time(seconds: 0, nanoseconds: 0)
            return FileStatus(
                kind: .file,
                device: 0,
                inode: 0,
                linkCount: 0,
                size: 0,
                mode: 0,
                owner: 0,
                group: 0,
                modified: time,
                changed: time
            )
        }
        return try perform("fstat") { state throws(SystemError) in try state.status(of: file) }
    }

    func setMode(of file: FileNumber, to mode: UInt32) throws(SystemError) {
        try perform("fchmod") { state throws(SystemError) in
            try state.setMode(of: file, to: mode)
        }
    }

    func setOwner(of file: FileNumber, to owner: UInt32, group: UInt32) throws(SystemError) {
        try perform("fchown") { state throws(SystemError) in
            try state.setOwner(of: file, to: owner, group: group)
        }
    }

    func copyAttributes(of file: FileNumber, to other: FileNumber) throws(SystemError) {
        try pass("attributes")
    }

    func lock(_ file: FileNumber, isExclusive: Bool) throws(SystemError) -> Bool {
        try perform("flock") { state throws(SystemError) in
            try state.lock(file, isExclusive: isExclusive)
        }
    }

    func unlock(_ file: FileNumber) {
        disk.state.withLock { $0.unlock(file) }
    }

    // MARK: Paths

    func status(at path: String) throws(SystemError) -> FileStatus {
        try perform("stat") { state throws(SystemError) in try state.status(at: path) }
    }

    func destination(ofLinkAt path: String) throws(SystemError) -> String? {
        nil
    }

    func rename(_ path: String, to target: String) throws(SystemError) {
        try perform("rename") { state throws(SystemError) in try state.rename(path, to: target) }
    }

    func exchange(_ path: String, with other: String) throws(SystemError) {
        try perform("exchange") { state throws(SystemError) in
            try state.exchange(path, with: other)
        }
    }

    func link(_ path: String, to target: String) throws(SystemError) {
        try perform("link") { state throws(SystemError) in try state.link(path, to: target) }
    }

    func remove(_ path: String) throws(SystemError) {
        try perform("remove") { state throws(SystemError) in try state.remove(path) }
    }

    func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        try perform("mkdir") { state throws(SystemError) in
            try state.makeDirectory(path, mode: mode)
        }
    }

    func names(in directory: String) throws(SystemError) -> [String] {
        try perform("readdir") { state throws(SystemError) in
            let folder = try state.find(directory, "readdir")
            return Array(state.nodes[folder]?.names.keys ?? [:].keys)
        }
    }

    func now() -> FileStatus.Time {
        disk.state.withLock { $0.now() }
    }
}
