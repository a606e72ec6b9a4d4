/// Changes that were made to a store in one step: what observers are told.
///
/// A commit carries every key that changed, and none that was written with an equal value. Several
/// writes in one transaction are one commit.
public struct KVCommit: Sendable {
    /// What happened to one key.
    public struct Change: Sendable {
        /// The name of the key.
        public let name: String
        /// What was stored before, or nil if the key was absent.
        public let old: PropertyListValue?
        /// What is stored now, or nil if the key was removed.
        public let new: PropertyListValue?

        package init(name: String, old: PropertyListValue?, new: PropertyListValue?) {
            self.name = name
            self.old = old
            self.new = new
        }
    }

    /// Who made a commit, seen from the store whose feed reports it.
    public enum Origin: Sendable {
        /// The store that is observed.
        case thisStore
        /// Another store object over the same domain in this process.
        case anotherStore
        /// Another process.
        case anotherProcess
        /// A person or program that edited the store's file.
        case fileEdit
    }

    /// The number of the commit: one more than that of the commit before it.
    ///
    /// Numbers are counted per domain in this process, without a gap or a repeat.
    public let sequence: UInt64
    /// The number that the medium itself gave the commit, or nil if it gives none.
    public let revision: UInt64?
    /// Who made the commit.
    public let origin: Origin
    /// Whether the commit sums up several whose history could not be had.
    public let isMerged: Bool
    /// The keys that changed, in no particular order, each once.
    public let changes: [Change]
}

extension KVCommit {
    /// Returns what happened to a key, or nil if the commit did not change it.
    public func change(of name: String) -> Change? {
        changes.first { $0.name == name }
    }
}
