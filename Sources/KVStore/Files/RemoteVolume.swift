#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Tells volumes that other machines may share.
enum RemoteVolume {
    /// Whether an open file is on one; no if that cannot be told.
    static func holds(_ file: FileNumber) -> Bool {
        #if canImport(Darwin)
        var status = statfs()
        guard unsafe fstatfs(file.rawValue, &status) == 0 else { return false }
        return status.f_flags & UInt32(MNT_LOCAL) == 0
        #else
        guard let fstatfs = unsafe fstatfs else { return false }
        // Larger than the structure on any architecture; its first word is the kind of volume.
        var status = [UInt](repeating: 0, count: 64)
        // The call fills at most the structure's size.
        guard unsafe fstatfs(file.rawValue, &status) == 0 else { return false }
        return kinds.contains(UInt32(truncatingIfNeeded: status[0]))
        #endif
    }

    #if !canImport(Darwin)
    /// The kinds of the Linux kernel's `magic.h`: NFS, SMB, SMB2, CIFS, 9P, FUSE, AFS, Ceph, Coda,
    /// and Lustre's own.
    private static let kinds: Set<UInt32> = [
        0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x0102_1997, 0x6573_5546, 0x5346_414F,
        0x00C3_6400, 0x7375_7245, 0x0BD0_0BD0,
    ]

    private typealias StatusCall =
        @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32

    // Looked up, because the module of the C library leaves its header out. A function's address
    // never changes, and the type is the one that the C library declares.
    private static let fstatfs: StatusCall? = unsafe dlsym(nil, "fstatfs").map {
        unsafe unsafeBitCast($0, to: StatusCall.self)
    }
    #endif
}
