#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Copies what a file carries beside its bytes and its mode: access lists, labels, a user's tags.
enum ExtendedAttributes {
    /// Copies the attributes that may be copied; a file system without any is no failure.
    ///
    /// - Throws: `SystemError` if an attribute of the user or an access list cannot be copied.
    static func copy(from file: FileNumber, to other: FileNumber) throws(SystemError) {
        #if canImport(Darwin)
        let flags = copyfile_flags_t(COPYFILE_XATTR | COPYFILE_ACL)
        if unsafe fcopyfile(file.rawValue, other.rawValue, nil, flags) != 0, errno != ENOTSUP {
            throw SystemError(errno, "fcopyfile")
        }
        #else
        guard let calls = unsafe calls else { return }
        var list = [CChar](repeating: 0, count: 1 << 16)
        // Each call is told the size of the memory that it may fill.
        let length = unsafe calls.list(file.rawValue, &list, list.count)
        guard length > 0 else { return }
        for bytes in list.prefix(length).split(separator: 0) {
            let name = Array(bytes) + [0]
            // The other name spaces belong to the system, which gives new files their own.
            let text = String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("user.") || text == "system.posix_acl_access" else { continue }
            var value = [UInt8](repeating: 0, count: 1 << 16)
            let size = unsafe calls.get(file.rawValue, name, &value, value.count)
            guard size >= 0 else { throw SystemError(errno, "fgetxattr") }
            if unsafe calls.set(other.rawValue, name, value, size, 0) != 0 {
                throw SystemError(errno, "fsetxattr")
            }
        }
        #endif
    }

    #if !canImport(Darwin)
    private typealias List =
        @convention(c) (Int32, UnsafeMutablePointer<CChar>, Int) -> Int
    private typealias Get =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int
    private typealias Set =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32

    // Looked up, because the module of the C library leaves their header out. A function's address
    // never changes, and the types are those that the C library declares.
    private static let calls: (list: List, get: Get, set: Set)? = {
        guard let list = unsafe dlsym(nil, "flistxattr"),
            let get = unsafe dlsym(nil, "fgetxattr"),
            let set = unsafe dlsym(nil, "fsetxattr")
        else { return nil }
        return unsafe (
            unsafeBitCast(list, to: List.self), unsafeBitCast(get, to: Get.self),
            unsafeBitCast(set, to: Set.self)
        )
    }()
    #endif
}
