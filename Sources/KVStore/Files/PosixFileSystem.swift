#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The operating system's files: the only place that calls it.
///
/// Pointers given to a call are to memory that lives for the call, and calls are told its size.
package struct PosixFileSystem: FileSystem {
    #if !canImport(Darwin)
    private typealias RenameAt2 =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32

    // Looked up, because the C library declares it only to GNU sources. A function's address never
    // changes, and the type is the one that the C library declares.
    private static let renameat2: RenameAt2? = unsafe dlsym(nil, "renameat2").map {
        unsafe unsafeBitCast($0, to: RenameAt2.self)
    }
    #endif

    package init() {}

    package func open(
        _ path: String,
        _ access: FileAccess,
        mode: UInt32
    ) throws(SystemError) -> FileNumber {
        let flags =
            switch access {
            case .read: O_RDONLY | O_NONBLOCK | O_NOCTTY
            case .createNew: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            case .append: O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            case .lock: O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY
            case .lockExisting: O_RDWR | O_NONBLOCK | O_NOCTTY
            }
        return FileNumber(
            try Self.call("open") {
                unsafe posixOpen(path, flags | O_CLOEXEC, mode_t(truncatingIfNeeded: mode))
            }
        )
    }

    package func close(_ file: FileNumber) {
        // Not retried: after an interruption the number is free already on Linux, and may be
        // another thread's.
        _ = posixClose(file.rawValue)
    }

    package func read(
        _ file: FileNumber,
        from offset: Int,
        count: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let step = try Self.call("read") {
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe pread(
                        file.rawValue,
                        buffer.baseAddress?.advanced(by: filled),
                        count - filled,
                        off_t(offset + filled)
                    )
                }
            }
            if step == 0 { break }
            filled += step
        }
        bytes.removeSubrange(filled...)
        return bytes
    }

    package func write(
        _ bytes: ArraySlice<UInt8>,
        to file: FileNumber,
        at offset: Int?
    ) throws(SystemError) -> Int {
        try Self.call("write") {
            unsafe bytes.withUnsafeBytes { buffer in
                guard let offset else {
                    return unsafe posixWrite(file.rawValue, buffer.baseAddress, buffer.count)
                }
                return unsafe pwrite(
                    file.rawValue,
                    buffer.baseAddress,
                    buffer.count,
                    off_t(offset)
                )
            }
        }
    }

    package func truncate(_ file: FileNumber, to size: Int) throws(SystemError) {
        _ = try Self.call("ftruncate") { ftruncate(file.rawValue, off_t(size)) }
    }

    package func synchronize(_ file: FileNumber) throws(SystemError) {
        #if canImport(Darwin)
        // fsync leaves the data in the drive's cache there; file systems without the other call
        // get what they have.
        if fcntl(file.rawValue, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try Self.call("fsync") { fsync(file.rawValue) }
    }

    package func synchronizeData(_ file: FileNumber) throws(SystemError) {
        #if canImport(Darwin)
        try synchronize(file)
        #else
        _ = try Self.call("fdatasync") { fdatasync(file.rawValue) }
        #endif
    }

    package func map(_ file: FileNumber) throws(SystemError) -> GenerationPage {
        let size = GenerationPage.fileSize
        let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            throw SystemError(errno, "mmap")
        }
        // The address stays ours until the page unmaps it, once.
        nonisolated(unsafe) let page = unsafe start
        return unsafe GenerationPage(start: page) { unsafe _ = munmap(page, size) }
    }

    package func isRemote(_ file: FileNumber) -> Bool {
        RemoteVolume.holds(file)
    }

    package func status(of file: FileNumber) throws(SystemError) -> FileStatus {
        var raw = stat()
        _ = try Self.call("fstat") { unsafe fstat(file.rawValue, &raw) }
        return FileStatus(raw)
    }

    package func status(at path: String) throws(SystemError) -> FileStatus {
        var raw = stat()
        _ = try Self.call("stat") { unsafe stat(path, &raw) }
        return FileStatus(raw)
    }

    package func destination(ofLinkAt path: String) throws(SystemError) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        do throws(SystemError) {
            let count = try Self.call("readlink") {
                unsafe bytes.withUnsafeMutableBytes { buffer in
                    let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                    guard let start = unsafe start else { return -1 }
                    return unsafe readlink(path, start, buffer.count)
                }
            }
            return String(decoding: bytes[..<count], as: UTF8.self)
        } catch  where error.code == EINVAL {
            return nil
        }
    }

    package func rename(_ path: String, to target: String) throws(SystemError) {
        _ = try Self.call("rename") { unsafe posixRename(path, target) }
    }

    package func exchange(_ path: String, with other: String) throws(SystemError) {
        #if canImport(Darwin)
        _ = try Self.call("rename") { unsafe renamex_np(path, other, UInt32(RENAME_SWAP)) }
        #else
        guard let renameat2 = unsafe Self.renameat2 else { throw SystemError(ENOSYS, "rename") }
        let exchange: UInt32 = 2
        _ = try Self.call("rename") {
            unsafe renameat2(AT_FDCWD, path, AT_FDCWD, other, exchange)
        }
        #endif
    }

    package func link(_ path: String, to target: String) throws(SystemError) {
        _ = try Self.call("link") { unsafe posixLink(path, target) }
    }

    package func remove(_ path: String) throws(SystemError) {
        _ = try Self.call("unlink") { unsafe unlink(path) }
    }

    package func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        _ = try Self.call("mkdir") { unsafe mkdir(path, mode_t(truncatingIfNeeded: mode)) }
    }

    package func names(in directory: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(directory) else { throw SystemError(errno, "opendir") }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        // The entry is valid until the next call on the same stream, which no other thread has.
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(
                    to: CChar.self,
                    capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)
                ) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    package func setMode(of file: FileNumber, to mode: UInt32) throws(SystemError) {
        _ = try Self.call("fchmod") { fchmod(file.rawValue, mode_t(truncatingIfNeeded: mode)) }
    }

    package func copyAttributes(
        of file: FileNumber,
        to other: FileNumber
    ) throws(SystemError) {
        try ExtendedAttributes.copy(from: file, to: other)
    }

    package func setOwner(
        of file: FileNumber,
        to owner: UInt32,
        group: UInt32
    ) throws(SystemError) {
        _ = try Self.call("fchown") { fchown(file.rawValue, owner, group) }
    }

    package func lock(_ file: FileNumber, isExclusive: Bool) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try Self.call("flock") {
                flock(file.rawValue, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
            }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    package func unlock(_ file: FileNumber) {
        _ = flock(file.rawValue, LOCK_UN)
    }

    package func now() -> FileStatus.Time {
        var time = timespec()
        unsafe _ = clock_gettime(CLOCK_REALTIME, &time)
        return FileStatus.Time(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }

    /// Makes a call, again after a signal, and turns -1 into an error.
    private static func call<Result: BinaryInteger>(
        _ name: String,
        _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw SystemError(code, name) }
        }
    }
}

// The methods above hide the functions of the same names.
private func posixOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe open(path, flags, mode)
}

private func posixClose(_ number: Int32) -> Int32 { close(number) }

private func posixWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(number, bytes, count)
}

private func posixRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
    unsafe rename(old, new)
}

private func posixLink(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
    unsafe link(old, new)
}

extension FileStatus {
    fileprivate init(_ raw: stat) {
        let kind: Kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        #if canImport(Darwin)
        let (modified, changed) = (raw.st_mtimespec, raw.st_ctimespec)
        #else
        let (modified, changed) = (raw.st_mtim, raw.st_ctim)
        #endif
        self.init(
            kind: kind,
            device: UInt64(truncatingIfNeeded: raw.st_dev),
            inode: UInt64(raw.st_ino),
            linkCount: Int(raw.st_nlink),
            size: Int(raw.st_size),
            mode: UInt32(raw.st_mode) & 0o7777,
            owner: raw.st_uid,
            group: raw.st_gid,
            modified: Time(seconds: Int(modified.tv_sec), nanoseconds: Int(modified.tv_nsec)),
            changed: Time(seconds: Int(changed.tv_sec), nanoseconds: Int(changed.tv_nsec))
        )
    }
}
