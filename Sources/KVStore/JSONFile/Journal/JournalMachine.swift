/// What a store's files come to, as far as they have been read: the values in force, and how far
/// the journal and the image have been taken in.
///
/// It is told what was found on the disk and says which commits that makes; it calls nothing. The
/// values in force are what the journal holds and, above it, an edit of the image that no writer
/// has noted in the journal yet.
package struct JournalMachine: Sendable {
    /// A commit to publish to those who observe.
    package struct Event: Sendable {
        package var changes: [KVCommit.Change]
        /// The store that made it, or nil if it was an edit.
        package var author: JournalAuthor?
        /// Its number in the journal, or nil if it has none.
        package var revision: UInt64?
        /// Whether it sums up commits whose history could not be had.
        package var isMerged = false
    }

    /// An edit that is not in the journal yet.
    package struct PendingEdit: Sendable {
        package let edit: HandEdit
        /// What the journal holds for the keys that were edited.
        fileprivate var masked: [String: PropertyListValue?]
    }

    /// The values in force, by name.
    package private(set) var values: [String: PropertyListValue] = [:]
    /// An edit that the next writer has to note.
    package private(set) var edit: PendingEdit?
    /// How far the journal was read; nil while there is none.
    package private(set) var position: JournalPosition?
    /// Which history the journal is part of; nil while there was none.
    package private(set) var lineage: UInt64?
    /// The digests of images that hold no edit, with nil for one that is not there.
    package private(set) var known: Set<ContentDigest?> = [nil]
    /// The digests of images that the journal notes as about to be put in place.
    package private(set) var noted: Set<ContentDigest> = []
    /// Whether the image holds all that the journal does.
    package private(set) var isPublished = true

    package init() {}

    /// The number of the last commit.
    package var sequence: UInt64 { position?.sequence ?? lastSequence }
    private var lastSequence: UInt64 = 0

    /// Whether an image with a digest is one that a store made.
    package func knows(_ digest: ContentDigest?) -> Bool {
        known.contains(digest)
    }

    /// What the journal alone holds.
    package var journalValues: [String: PropertyListValue] {
        guard let edit else { return values }
        var values = values
        for (name, value) in edit.masked { values[name] = value }
        return values
    }

    // MARK: Opening

    /// Takes in what there is when a store is opened, which is news to nobody.
    package mutating func open(image: [String: PropertyListValue], digest: ContentDigest?) {
        values = image
        known = [digest]
    }

    /// Takes in the journal that there is when a store is opened.
    package mutating func open(
        _ contents: JournalText.Contents,
        base: [String: PropertyListValue]
    ) {
        let (final, baselines) = contents.replayed(over: base)
        values = final
        note(contents, baselines)
    }

    private mutating func note(
        _ contents: JournalText.Contents,
        _ baselines: [JournalText.Contents.Baseline]
    ) {
        lineage = contents.header.lineage
        position = contents.position
        lastSequence = contents.position.sequence
        known = Set(baselines.map(\.digest))
        noted = Set(baselines.dropFirst().compactMap(\.digest))
        isPublished = contents.records.isEmpty
    }

    // MARK: The journal

    /// Takes in records that follow what was read.
    ///
    /// - Returns: The commits that they make; a record that changes nothing makes none.
    package mutating func take(_ records: [JournalRecord], to position: JournalPosition) -> [Event]
    {
        let events = records.compactMap { take($0) }
        self.position = position
        return events
    }

    private mutating func take(_ record: JournalRecord) -> Event? {
        switch record.kind {
        case .publication(let digest):
            known.insert(digest)
            noted.insert(digest)
            return nil
        case .commit(let author):
            isPublished = false
            let changes = apply(record.changes)
            guard !changes.isEmpty else { return nil }
            return Event(changes: changes, author: author, revision: record.sequence)
        case .edit(let digest, _):
            isPublished = false
            known = [digest]
            // Another edit than the one taken in may have been noted, and the image be yet another.
            let changes = applyUncovered(record.changes)
            guard !changes.isEmpty else { return nil }
            return Event(changes: changes, revision: record.sequence)
        }
    }

    /// Takes in a journal that another writer put in place of the one read so far.
    ///
    /// - Parameters:
    ///   - contents: What it holds.
    ///   - base: What its base is.
    /// - Returns: Its records that were not read before, as far as they are known to follow on what
    ///   was; a commit that sums up the rest.
    package mutating func take(
        _ contents: JournalText.Contents,
        base: [String: PropertyListValue]
    ) -> [Event] {
        let header = contents.header
        let (final, baselines) = contents.replayed(over: base)
        let isSequel =
            lineage == nil
            ? edit == nil && values == base
            : lineage == header.lineage && header.sequence <= sequence
                && sequence <= contents.position.sequence
        var events: [Event] = []
        if isSequel {
            let seen = lineage == nil ? header.sequence : sequence
            for record in contents.records where record.sequence > seen {
                if case .publication = record.kind { continue }
                if let event = take(record) { events.append(event) }
            }
        }
        note(contents, baselines)
        let leftover = journalValues.changes(to: final)
        if !leftover.isEmpty {
            let changes = apply(leftover)
            if !changes.isEmpty {
                events.append(
                    Event(
                        changes: changes,
                        author: JournalAuthor(domain: 0, handle: 0),
                        revision: contents.position.sequence,
                        isMerged: true
                    )
                )
            }
        }
        return events
    }

    /// Notes that this process put a journal in place that holds what is in force.
    package mutating func adopt(
        _ header: JournalHeader,
        position: JournalPosition,
        isPublished: Bool
    ) {
        lineage = header.lineage
        self.position = position
        lastSequence = position.sequence
        known = [header.base]
        noted = []
        self.isPublished = isPublished
    }

    /// Notes that the journal is gone, though what it held is still in force.
    package mutating func loseJournal() {
        lastSequence = sequence
        position = nil
        isPublished = false
    }

    // MARK: The image

    /// Takes in an image while there is no journal.
    package mutating func take(
        image: [String: PropertyListValue],
        digest: ContentDigest?
    ) -> Event? {
        known = [digest]
        isPublished = true
        let changes = apply(values.changes(to: image))
        return changes.isEmpty ? nil : Event(changes: changes)
    }

    /// Takes in an edit of the image, in place of one that was not noted yet.
    package mutating func take(_ new: HandEdit) -> Event? {
        let journal = edit?.masked ?? [:]
        var masked: [String: PropertyListValue?] = [:]
        for change in new.changes {
            masked.updateValue(journal[change.name] ?? values[change.name], forKey: change.name)
        }
        let changes = applyUncovered(new.changes)
        edit = PendingEdit(edit: new, masked: masked)
        return changes.isEmpty ? nil : Event(changes: changes)
    }

    /// Drops an edit that was not noted, because the image holds none any more.
    package mutating func dropEdit() -> Event? {
        let changes = applyUncovered([])
        return changes.isEmpty ? nil : Event(changes: changes)
    }

    /// Forgets everything: the files are gone.
    package mutating func clear() -> Event? {
        edit = nil
        position = nil
        lineage = nil
        lastSequence = 0
        known = [nil]
        isPublished = true
        let changes = apply(values.changes(to: [:]))
        return changes.isEmpty ? nil : Event(changes: changes)
    }

    // MARK: Applying

    /// Takes in changes of the journal beneath an edit, and returns those of the values in force.
    private mutating func apply(_ changes: [JournalChange]) -> [KVCommit.Change] {
        var result: [KVCommit.Change] = []
        result.reserveCapacity(changes.count)
        for change in changes {
            let (name, new) = (change.name, change.value)
            if edit?.masked[name] != nil {
                edit?.masked.updateValue(new, forKey: name)
                continue
            }
            // What is replaced is kept in the result, to be released after unlocking.
            let old =
                if let new {
                    values.updateValue(new, forKey: name)
                } else {
                    values.removeValue(forKey: name)
                }
            if old != new { result.append(KVCommit.Change(name: name, old: old, new: new)) }
        }
        return result
    }

    /// Takes the edit off the journal's values and then changes in, as one step.
    private mutating func applyUncovered(_ changes: [JournalChange]) -> [KVCommit.Change] {
        guard var touched = edit?.masked else { return apply(changes) }
        for change in changes { touched.updateValue(change.value, forKey: change.name) }
        edit = nil
        return apply(touched.map { JournalChange(name: $0.key, value: $0.value) })
    }
}
