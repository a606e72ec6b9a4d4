/// The file that people read and edit, as it was when it was last looked at.
package struct JSONFileImage: Sendable {
    /// The file, kept open so that its number is not given to another; nil if there was none.
    package let file: OpenFile?
    /// What the file was; nil if there was none.
    package var status: FileStatus?
    /// The digest of the file's bytes; nil if there was none.
    package let digest: ContentDigest?
    /// Whether the file may be written again without its times telling.
    package var isFresh: Bool
    /// Why the file cannot be understood; nil if it can.
    package var trouble: KVStoreError?

    package static let absent = JSONFileImage(file: nil, status: nil, digest: nil, isFresh: false)

    package init(
        file: OpenFile?,
        status: FileStatus?,
        digest: ContentDigest?,
        isFresh: Bool,
        trouble: KVStoreError? = nil
    ) {
        self.file = file
        self.status = status
        self.digest = digest
        self.isFresh = isFresh
        self.trouble = trouble
    }
}

/// A failure to read a store's file, and the file that it concerns.
package struct JSONFileTrouble: Error {
    package let error: KVStoreError
    /// What the file was, as far as it could be told.
    package let status: FileStatus?
    /// The file, if it could be opened.
    package var file: OpenFile?
    /// The digest of its bytes, if they could be read.
    package var digest: ContentDigest?
}
