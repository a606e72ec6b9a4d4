/// Why a store could not do what it was asked to.
///
/// Failures to turn a value into a tree and back are `EncodingError` and `DecodingError`;
/// everything about keys, transactions and storage is this type. Match on the code:
///
/// ```swift
/// do {
///     try store.set(Keys.theme, value: .dark)
/// } catch let error as KVStoreError where error.code == .unwritable {
///     showBanner("\(error)")
/// }
/// ```
///
/// The description says what failed, why, and in which state the data is. It names keys and files
/// and never prints a stored value.
public struct KVStoreError: Error, Sendable {
    /// What kind of failure it is.
    public let code: Code
    /// Why it failed and which state the data is in, in one or two sentences.
    public let reason: String
    /// The name of the key concerned, where there is one.
    public let key: String?
    /// The path of the file concerned, where there is one.
    public let file: String?
    /// The line in the file at which the problem is, counted from 1.
    public let line: Int?
    /// The column in the line at which the problem is, in Unicode scalars counted from 1.
    public let column: Int?
    /// The error beneath, where there is one.
    public let underlyingError: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - reason: Why it failed and which state the data is in.
    ///   - key: The name of the key concerned.
    ///   - file: The path of the file concerned.
    ///   - line: The line in the file, counted from 1.
    ///   - column: The column in the line, in Unicode scalars counted from 1.
    ///   - underlyingError: The error beneath.
    public init(
        _ code: Code,
        reason: String,
        key: String? = nil,
        file: String? = nil,
        line: Int? = nil,
        column: Int? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.key = key
        self.file = file
        self.line = line
        self.column = column
        self.underlyingError = underlyingError
    }
}

extension KVStoreError {
    /// The kind of a failure: an open set, to which backends may add their own.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// Creates a kind for a backend of one's own.
        public init(_ name: String) {
            description = name
        }

        /// The name of a key is one that no backend can hold; nothing was stored.
        public static let invalidKey = Code("invalidKey")
        /// The name of a suite is refused; the store reads as empty and nothing was stored.
        public static let invalidSuite = Code("invalidSuite")
        /// A value cannot be held by the medium; nothing was stored.
        public static let invalidValue = Code("invalidValue")
        /// The storage is there and cannot be read; it was left as it is.
        public static let unreadable = Code("unreadable")
        /// The storage cannot be written; the store is as it was.
        public static let unwritable = Code("unwritable")
        /// A value is in force but may not survive a power loss, because flushing it failed.
        public static let notDurable = Code("notDurable")
        /// The storage holds something that is not a store's; it was left as it is.
        public static let corrupt = Code("corrupt")
        /// The storage was written by a later version of this library; it was left as it is.
        public static let newerFormat = Code("newerFormat")
        /// The storage is on a file system that several processes cannot share safely.
        public static let unsupportedFileSystem = Code("unsupportedFileSystem")
        /// Other writers were in the way for too long; nothing was stored.
        public static let busy = Code("busy")
        /// A newer version of the program wrote the store; nothing was changed.
        public static let newerVersion = Code("newerVersion")
        /// A transaction was used after its body had ended; nothing was read or stored.
        public static let transactionEnded = Code("transactionEnded")
        /// A transaction's body wrote to its own domain other than through the transaction.
        public static let nestedWrite = Code("nestedWrite")
        /// The storage cannot be told from an empty one, as before a device is first unlocked;
        /// nothing was read or stored, and it may be tried again later.
        public static let storageUnavailable = Code("storageUnavailable")
    }
}

extension KVStoreError: CustomStringConvertible {
    /// What failed, why, and in which state the data is.
    public var description: String {
        var text = code.description
        if let key { text += " (key \(String(reflecting: key.prefix(200))))" }
        if let file {
            text += " (\(file)"
            if let line { text += ":\(line)" }
            if let line = column, self.line != nil { text += ":\(line)" }
            text += ")"
        }
        text += ": " + reason
        if let underlyingError { text += " [\(underlyingError)]" }
        return text
    }
}

extension KVStoreError {
    package static func invalidKey(_ name: String) -> KVStoreError {
        KVStoreError(
            .invalidKey,
            reason: "A key's name is 1 to 4,096 bytes of UTF-8, does not begin with U+FEFF and has "
                + "no control characters but tab, newline and carriage return. Nothing was stored.",
            key: name
        )
    }
}
