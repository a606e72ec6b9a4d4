#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The calls to the operating system that stores on files make, and nothing above them.
///
/// Everything that decides something is written against this protocol, so tests can put a file
/// system in memory beneath it that fails, fills up or loses power at any call. Calls are retried
/// when a signal interrupts them.
package protocol FileSystem: Sendable {
    /// Opens a file.
    func open(_ path: String, _ access: FileAccess, mode: UInt32) throws(SystemError) -> FileNumber

    /// Closes a file, which also gives up a lock on it.
    func close(_ file: FileNumber)

    /// Reads at most `count` bytes from an offset; fewer only at the end of the file.
    func read(
        _ file: FileNumber,
        from offset: Int,
        count: Int
    ) throws(SystemError) -> [UInt8]

    /// Writes bytes in one call, at an offset, or else where the last call stopped.
    ///
    /// - Returns: How many bytes were written, which is fewer than asked for on a full disk.
    func write(
        _ bytes: ArraySlice<UInt8>,
        to file: FileNumber,
        at offset: Int?
    ) throws(SystemError) -> Int

    /// Sets the size of a file.
    func truncate(_ file: FileNumber, to size: Int) throws(SystemError)

    /// Waits until what was written to a file, or was done in a folder, would survive a power loss.
    func synchronize(_ file: FileNumber) throws(SystemError)

    /// Waits until the bytes of a file would survive a power loss, and its size, but not its times.
    func synchronizeData(_ file: FileNumber) throws(SystemError)

    /// Maps the number that a lock file holds, to be shared with other processes.
    ///
    /// - Parameter file: A file opened to be written, of at least ``GenerationPage/fileSize`` bytes
    ///   without holes.
    /// - Returns: The mapped number.
    /// - Throws: `SystemError` if the file cannot be mapped.
    func map(_ file: FileNumber) throws(SystemError) -> GenerationPage

    /// Whether an open file is on a volume that other machines may share, where locks and mapped
    /// memory may not reach all who use it.
    func isRemote(_ file: FileNumber) -> Bool

    /// Describes an open file.
    func status(of file: FileNumber) throws(SystemError) -> FileStatus

    /// Describes what a path leads to.
    func status(at path: String) throws(SystemError) -> FileStatus

    /// Returns where a symbolic link points, or nil if the path names something else.
    func destination(ofLinkAt path: String) throws(SystemError) -> String?

    /// Gives a file another name, replacing what had it.
    func rename(_ path: String, to target: String) throws(SystemError)

    /// Exchanges the names of two files in one step.
    func exchange(_ path: String, with other: String) throws(SystemError)

    /// Gives a file a second name; fails if the name is taken.
    func link(_ path: String, to target: String) throws(SystemError)

    /// Removes a name.
    func remove(_ path: String) throws(SystemError)

    /// Makes a folder.
    func makeDirectory(_ path: String, mode: UInt32) throws(SystemError)

    /// Returns the names in a folder, but not `.` and `..`.
    func names(in directory: String) throws(SystemError) -> [String]

    /// Sets the permission bits of a file.
    func setMode(of file: FileNumber, to mode: UInt32) throws(SystemError)

    /// Gives a file the extended attributes of another, as far as the file system has any.
    func copyAttributes(of file: FileNumber, to other: FileNumber) throws(SystemError)

    /// Sets the owner and the group of a file.
    func setOwner(of file: FileNumber, to owner: UInt32, group: UInt32) throws(SystemError)

    /// Tries to lock a file for one process, and returns whether that worked.
    func lock(_ file: FileNumber, isExclusive: Bool) throws(SystemError) -> Bool

    /// Gives up a lock.
    func unlock(_ file: FileNumber)

    /// The time by which the file system stamps files.
    func now() -> FileStatus.Time
}

/// An open file, by its number.
package struct FileNumber: Hashable, Sendable {
    package let rawValue: Int32

    package init(_ rawValue: Int32) {
        self.rawValue = rawValue
    }
}

/// What a file is opened for.
package enum FileAccess: Sendable {
    /// To read what is there; neither waits for a pipe's other end nor takes a terminal over.
    case read
    /// To write a file that must not be there yet, not even as a link.
    case createNew
    /// To read and to append to what is there.
    case append
    /// To lock a file, which is made if it is missing.
    case lock
    /// To lock a file that is there.
    case lockExisting
}

/// An open file that is closed with its last reference.
package final class OpenFile: Sendable {
    package let number: FileNumber
    private let system: any FileSystem

    package init(
        _ path: String,
        _ access: FileAccess,
        mode: UInt32 = 0o600,
        on system: any FileSystem
    ) throws(SystemError) {
        number = try system.open(path, access, mode: mode)
        self.system = system
    }

    deinit {
        system.close(number)
    }

    package func status() throws(SystemError) -> FileStatus {
        try system.status(of: number)
    }

    /// Reads the whole file.
    package func contents(size: Int) throws(SystemError) -> [UInt8] {
        var bytes = try system.read(number, from: 0, count: size + 1)
        // The file may have grown since its size was taken.
        while bytes.count > size {
            let more = try system.read(number, from: bytes.count, count: 1 << 16)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Writes all bytes, in as many calls as it takes.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try system.write(rest, to: number, at: nil)
            if count == 0 { throw SystemError(ENOSPC, "write") }
            rest = rest.dropFirst(count)
        }
    }
}
