/// What the system says of a file: enough to tell whether it is still the same one, unchanged.
package struct FileStatus: Hashable, Sendable {
    /// What kind of thing a path names.
    package enum Kind: Hashable, Sendable {
        case file, directory, other
    }

    /// A point in time as file systems keep it.
    package struct Time: Hashable, Comparable, Sendable {
        package var seconds: Int
        package var nanoseconds: Int

        package init(seconds: Int, nanoseconds: Int) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }

        package static func < (lhs: Time, rhs: Time) -> Bool {
            (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
        }
    }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    package var linkCount: Int
    package var size: Int
    /// The permission bits, without the kind.
    package var mode: UInt32
    package var owner: UInt32
    package var group: UInt32
    package var modified: Time
    package var changed: Time

    package init(
        kind: Kind,
        device: UInt64,
        inode: UInt64,
        linkCount: Int,
        size: Int,
        mode: UInt32,
        owner: UInt32,
        group: UInt32,
        modified: Time,
        changed: Time
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.linkCount = linkCount
        self.size = size
        self.mode = mode
        self.owner = owner
        self.group = group
        self.modified = modified
        self.changed = changed
    }

    /// Whether both are of one file, changed or not.
    ///
    /// Numbers of files are used again once the last descriptor is closed, so one of the two must
    /// come from a descriptor that is still open.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether both are of one file with the same bytes.
    ///
    /// Renaming a file changes its `changed` time, so this compares when bytes were written.
    package func hasSameContent(as other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
