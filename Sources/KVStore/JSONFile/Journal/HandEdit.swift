/// What a person changed in the image.
///
/// An edit wins over what the journal holds for the keys that it changed, and says nothing of those
/// that it left alone, though a commit may have changed them since the image was written.
package struct HandEdit: Sendable {
    /// The digest of the edited image, or nil if it was deleted.
    package let digest: ContentDigest?
    /// The digest of the image that was edited.
    package let over: ContentDigest?
    /// What was changed and removed.
    package let changes: [JournalChange]

    /// Tells an edit by comparing an image with those that a store wrote.
    ///
    /// Where the edited image may be one of several, it is the one that the edit leaves most of,
    /// and of equal ones the last.
    ///
    /// - Parameters:
    ///   - values: What the edited image holds.
    ///   - digest: Its digest, or nil if it was deleted.
    ///   - baselines: What the image may have been before, oldest first; not empty.
    package init?(
        to values: [String: PropertyListValue],
        digest: ContentDigest?,
        from baselines: [JournalText.Contents.Baseline]
    ) {
        let candidates = baselines.reversed().map { ($0.digest, $0.values.changes(to: values)) }
        guard let nearest = candidates.min(by: { $0.1.count < $1.1.count }) else { return nil }
        self.digest = digest
        over = nearest.0
        changes = nearest.1
    }
}
