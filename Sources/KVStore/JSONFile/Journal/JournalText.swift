/// How far a journal has been read: where the next record begins and what it continues.
package struct JournalPosition: Hashable, Sendable {
    /// The journal that the offset is in.
    package var epoch: UInt64
    /// The number of bytes read.
    package var offset: Int
    /// The number of the last commit or edit read.
    package var sequence: UInt64
    /// The check of the last line read.
    package var chain: ContentDigest
}

/// Reads the bytes of journals.
///
/// A line is taken if it ends with a newline, its check continues the line before and its record
/// makes sense. The first that does not ends the journal: what comes after it cannot be told from
/// what never was.
package enum JournalText {
    /// Why reading stopped.
    package enum Ending: Hashable, Sendable {
        /// At the end of the bytes.
        case whole
        /// At a line without its end: it is being written, or its writer died.
        case torn
        /// At a line that is wrong though it has an end, or that others follow.
        case damaged
    }

    /// What a whole journal holds.
    package struct Contents: Sendable {
        package let header: JournalHeader
        /// What the image held that the journal is built on; nil if that line is damaged.
        package let base: [String: PropertyListValue]?
        package var records: [JournalRecord] = []
        package var position: JournalPosition
        package var ending = Ending.whole
        /// The number of bytes before the first record.
        package let recordsOffset: Int
    }

    /// Why nothing of a journal can be read.
    package enum Failure: Error, Hashable {
        /// It is of a later version of the format.
        case newer(version: Int)
        /// Its header is damaged, or it is no journal.
        case unreadable
    }

    /// Reads a journal from its beginning.
    package static func contents(of bytes: [UInt8]) throws(Failure) -> Contents {
        let lines = bytes.split(
            separator: 0x0A,
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        let first = lines[0]
        let mark = Array("\(JournalHeader.mark)\(JournalHeader.version) ".utf8)
        guard first.starts(with: mark) else {
            if let version = version(of: first), version > JournalHeader.version {
                throw .newer(version: version)
            }
            throw .unreadable
        }
        guard lines.count == 3,
            let fields = JournalLine.json(
                of: first.dropFirst(mark.count),
                after: JournalLine.start
            ),
            let header = tree(fields.json).flatMap(JournalHeader.init(fields:))
        else { throw .unreadable }
        var base: [String: PropertyListValue]?
        // A base that is damaged can be had from the image, and its check still be right.
        guard let check = JournalLine.check(of: lines[1]) else { throw .unreadable }
        if let line = JournalLine.json(of: lines[1], after: fields.check),
            case .dictionary(let values)? = tree(line.json)
        {
            base = values
        }
        let start = lines[2].startIndex
        var contents = Contents(
            header: header,
            base: base,
            position: JournalPosition(
                epoch: header.epoch,
                offset: start,
                sequence: header.sequence,
                chain: check
            ),
            recordsOffset: start
        )
        let tail = records(in: bytes[start...], from: contents.position)
        contents.records = tail.records
        contents.position = tail.position
        contents.ending = tail.ending
        return contents
    }

    /// Reads the records that follow a position.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the journal from the position on.
    ///   - position: Where they begin.
    /// - Returns: The records, where they end and why.
    package static func records(
        in bytes: ArraySlice<UInt8>,
        from position: JournalPosition
    ) -> (records: [JournalRecord], position: JournalPosition, ending: Ending) {
        var records: [JournalRecord] = []
        var position = position
        var rest = bytes
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: 0x0A) else { return (records, position, .torn) }
            let line = rest[..<end]
            guard let (json, check) = JournalLine.json(of: line, after: position.chain),
                let record = tree(json).flatMap(JournalRecord.init),
                record.sequence == record.expectedSequence(after: position.sequence)
            else { return (records, position, .damaged) }
            records.append(record)
            position.offset += line.count + 1
            position.sequence = record.sequence
            position.chain = check
            rest = rest[(end + 1)...]
        }
        return (records, position, .whole)
    }

    private static func version(of line: ArraySlice<UInt8>) -> Int? {
        guard line.starts(with: JournalHeader.mark.utf8) else { return nil }
        let digits = line.dropFirst(JournalHeader.mark.utf8.count).prefix { $0 != 0x20 }
        guard digits.count <= 6 else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func tree(_ json: [UInt8]) -> PropertyListValue? {
        do throws(JSONSyntaxError) {
            return try JSONText.value(from: json, maximumDepth: JournalRecord.maximumDepth)
        } catch {
            return nil
        }
    }
}

extension JournalRecord {
    /// The number that this kind of record has after another.
    func expectedSequence(after last: UInt64) -> UInt64 {
        if case .publication = kind { last } else { last + 1 }
    }
}

extension JournalText.Contents {
    /// An image as it was when no edit was pending, by which one can be told.
    package struct Baseline: Sendable {
        package let digest: ContentDigest?
        package let values: [String: PropertyListValue]
    }

    /// What the records come to over the base, and the images that are no edits.
    ///
    /// The first baseline is the image that was certainly in place; each after it may have been put
    /// in place by a writer who died before the journal said so.
    ///
    /// - Parameter base: What the base is if the journal's own is damaged.
    /// - Returns: The values, and the images; at least one.
    package func replayed(
        over base: [String: PropertyListValue]
    ) -> (values: [String: PropertyListValue], baselines: [Baseline]) {
        var values = base
        var baselines = [Baseline(digest: header.base, values: base)]
        for record in records {
            values.apply(record.changes)
            switch record.kind {
            case .commit: break
            case .publication(let digest):
                baselines.append(Baseline(digest: digest, values: values))
            case .edit(let digest, let over):
                guard var edited = baselines.last(where: { $0.digest == over })?.values else {
                    continue
                }
                edited.apply(record.changes)
                baselines = [Baseline(digest: digest, values: edited)]
            }
        }
        return (values, baselines)
    }
}

extension [String: PropertyListValue] {
    /// Takes in changes.
    mutating func apply(_ changes: [JournalChange]) {
        for change in changes { self[change.name] = change.value }
    }

    /// Returns what makes other values of these.
    func changes(to other: Self) -> [JournalChange] {
        var changes: [JournalChange] = []
        for (name, value) in other where self[name] != value {
            changes.append(JournalChange(name: name, value: value))
        }
        for name in keys where other[name] == nil {
            changes.append(JournalChange(name: name, value: nil))
        }
        return changes
    }
}
