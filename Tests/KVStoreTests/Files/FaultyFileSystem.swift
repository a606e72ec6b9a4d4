import Foundation
import KVStore
import Synchronization

/// The real file system, but a chosen call fails, and if so wished all after it.
final class FaultyFileSystem: FileSystem {
    private struct State {
        var callsLeft: Int?
        var isDead = false
        var lastCall: String?
        var names: Set<String> = []
        var locked: [FileNumber] = []
        var failed: String?
    }

    private let system = PosixFileSystem()
    private let error: Int32
    private let staysDead: Bool
    private let isRemote: Bool
    private let state = Mutex(State())

    /// With `staysDead`, the calls after the failing one do nothing either, as if the
    /// process had been killed there.
    init(error: Int32 = EIO, staysDead: Bool = false, isRemote: Bool = false) {
        self.error = error
        self.isRemote = isRemote
        self.staysDead = staysDead
    }

    /// The name of the call that failed.
    var failedCall: String? { state.withLock { $0.failed } }

    /// The names of the calls made since a failure was planned.
    var calls: Set<String> { state.withLock { $0.names } }

    /// Lets a number of calls pass and fails the next one.
    func fail(after calls: Int) {
        state.withLock { $0 = State(callsLeft: calls) }
    }

    /// Fails every call after the next one with a name.
    func die(after call: String) {
        state.withLock { $0.lastCall = call }
    }

    /// Gives up all locks, as the system does when a process dies.
    func releaseLocks() {
        for file in state.withLock({ $0.locked }) { system.unlock(file) }
    }

    private func pass(_ call: String) throws(SystemError) {
        let fails = state.withLock { state in
            if state.isDead { return true }
            state.names.insert(call)
            if state.lastCall == call {
                state.isDead = true
                return false
            }
            guard let left = state.callsLeft else { return false }
            state.callsLeft = left == 0 ? nil : left - 1
            guard left == 0 else { return false }
            state.failed = call
            state.isDead = staysDead
            return true
        }
        if fails { throw SystemError(error, call) }
    }

    func open(
        _ path: String,
        _ access: FileAccess,
        mode: UInt32
    ) throws(SystemError) -> FileNumber {
        try pass("open")
        return try system.open(path, access, mode: mode)
    }

    func close(_ file: FileNumber) {
        // First, because the number may be another file's once it is closed.
        state.withLock { $0.locked.removeAll { $0 == file } }
        system.close(file)
    }

    func read(_ file: FileNumber, from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        try pass("read")
        return try system.read(file, from: offset, count: count)
    }

    func write(
        _ bytes: ArraySlice<UInt8>,
        to file: FileNumber,
        at offset: Int?
    ) throws(SystemError) -> Int {
        do throws(SystemError) {
            try pass("write")
        } catch {
            // A full disk takes the beginning.
            _ = try system.write(bytes.prefix(bytes.count / 2), to: file, at: offset)
            throw error
        }
        return try system.write(bytes, to: file, at: offset)
    }

    func truncate(_ file: FileNumber, to size: Int) throws(SystemError) {
        try pass("truncate")
        try system.truncate(file, to: size)
    }

    func synchronize(_ file: FileNumber) throws(SystemError) {
        try pass("synchronize")
    }

    func synchronizeData(_ file: FileNumber) throws(SystemError) {
        try pass("synchronizeData")
    }

    func map(_ file: FileNumber) throws(SystemError) -> GenerationPage {
        try pass("mmap")
        return try system.map(file)
    }

    func isRemote(_ file: FileNumber) -> Bool { isRemote }

    func copyAttributes(of file: FileNumber, to other: FileNumber) throws(SystemError) {
        try pass("attributes")
        try system.copyAttributes(of: file, to: other)
    }

    func status(of file: FileNumber) throws(SystemError) -> FileStatus {
        try pass("fstat")
        return try system.status(of: file)
    }

    func status(at path: String) throws(SystemError) -> FileStatus {
        try pass("stat")
        return try system.status(at: path)
    }

    func destination(ofLinkAt path: String) throws(SystemError) -> String? {
        try system.destination(ofLinkAt: path)
    }

    func rename(_ path: String, to target: String) throws(SystemError) {
        try pass("rename")
        try system.rename(path, to: target)
    }

    func exchange(_ path: String, with other: String) throws(SystemError) {
        try pass("exchange")
        try system.exchange(path, with: other)
    }

    func link(_ path: String, to target: String) throws(SystemError) {
        try pass("link")
        try system.link(path, to: target)
    }

    func remove(_ path: String) throws(SystemError) {
        try pass("remove")
        try system.remove(path)
    }

    func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        try pass("mkdir")
        try system.makeDirectory(path, mode: mode)
    }

    func names(in directory: String) throws(SystemError) -> [String] {
        try pass("readdir")
        return try system.names(in: directory)
    }

    func setMode(of file: FileNumber, to mode: UInt32) throws(SystemError) {
        try pass("fchmod")
        try system.setMode(of: file, to: mode)
    }

    func setOwner(of file: FileNumber, to owner: UInt32, group: UInt32) throws(SystemError) {
        try pass("fchown")
        try system.setOwner(of: file, to: owner, group: group)
    }

    func lock(_ file: FileNumber, isExclusive: Bool) throws(SystemError) -> Bool {
        try pass("flock")
        state.withLock { $0.locked.append(file) }
        return try system.lock(file, isExclusive: isExclusive)
    }

    func unlock(_ file: FileNumber) { system.unlock(file) }

    func now() -> FileStatus.Time { system.now() }
}
