/// What a store's file held when it was looked at, and how to tell whether it still does.
package struct JSONFileImage: Sendable {
    /// The values; none for a file that is not there.
    package let values: [String: PropertyListValue]
    /// The file, kept open so that its number is not given to another; nil if there was none.
    package let file: OpenFile?
    /// What the file was when it was read; nil if there was none.
    package let status: FileStatus?
    /// The digest of the file's bytes; nil if there was none.
    package let digest: ContentDigest?
    /// Whether the file may be written again without its times telling.
    package let isFresh: Bool

    package static let absent = JSONFileImage(
        values: [:],
        file: nil,
        status: nil,
        digest: nil,
        isFresh: false
    )

    package init(
        values: [String: PropertyListValue],
        file: OpenFile?,
        status: FileStatus?,
        digest: ContentDigest?,
        isFresh: Bool
    ) {
        self.values = values
        self.file = file
        self.status = status
        self.digest = digest
        self.isFresh = isFresh
    }
}

/// A failure to read a store's file, and the file that it concerns.
package struct JSONFileTrouble: Error {
    package let error: KVStoreError
    /// What the file was, as far as it could be told.
    package let status: FileStatus?
}
