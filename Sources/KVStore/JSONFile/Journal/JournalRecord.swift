/// One line of a journal after its base.
///
///     <check> {"seq":413,"by":"9f3c21aa.2","set":{"theme":"dark"},"remove":["x"]}
///     <check> {"seq":414,"edit":"<digest>","over":"<digest>","set":{"scale":2.0}}
///     <check> {"seq":414,"publish":"<digest>"}
package struct JournalRecord: Hashable, Sendable {
    /// What a record stands for.
    package enum Kind: Hashable, Sendable {
        /// A commit of a store.
        case commit(by: JournalAuthor)
        /// What somebody changed in the image: the digest of the edited image, or nil if it was
        /// deleted, and that of the image which it was edited from.
        case edit(ContentDigest?, over: ContentDigest?)
        /// An image with this digest is about to be put in place; it holds all records before.
        case publication(ContentDigest)
    }

    /// One more than the last commit's or edit's; a publication repeats the last number.
    package let sequence: UInt64
    package let kind: Kind
    /// What is set and removed, each name once.
    package let changes: [JournalChange]

    package init(sequence: UInt64, kind: Kind, changes: [JournalChange] = []) {
        self.sequence = sequence
        self.kind = kind
        self.changes = changes
    }

    /// Appends the record as JSON on one line.
    func write(to writer: inout JSONWriter) {
        writer.write(literal: "{\"seq\":")
        writer.write(.integer(Int64(truncatingIfNeeded: sequence)))
        switch kind {
        case .commit(let author): writer.write(literal: ",\"by\":\"\(author)\"")
        case .edit(let digest, let over):
            writer.write(
                literal: ",\"edit\":\"\(digest.digestText)\",\"over\":\"\(over.digestText)\""
            )
        case .publication(let digest): writer.write(literal: ",\"publish\":\"\(digest)\"")
        }
        var values: [String: PropertyListValue] = [:]
        var removed: [PropertyListValue] = []
        if changes.count == 1, let value = changes[0].value, !MediumTagging.isTag(changes[0].name) {
            // What most commits are, without a dictionary.
            writer.write(literal: ",\"set\":{")
            writer.write(key: changes[0].name)
            writer.write(value)
            writer.write(literal: "}")
        } else {
            for change in changes {
                if let value = change.value {
                    values[change.name] = value
                } else {
                    removed.append(.string(change.name))
                }
            }
        }
        if !values.isEmpty {
            writer.write(literal: ",\"set\":")
            writer.write(.dictionary(values))
        }
        if !removed.isEmpty {
            writer.write(literal: ",\"remove\":")
            // In a fixed order, as the values are.
            writer.write(.array(removed.sorted(by: PropertyListValue.precedes)))
        }
        writer.write(literal: "}")
    }

    /// The deepest nesting of a record: a value stands in two objects of the record.
    static let maximumDepth = PropertyListValue.maximumDepth + 2

    /// Reads a record whose check is right.
    init?(_ value: PropertyListValue) {
        guard case .dictionary(let fields) = value,
            case .integer(let number) = fields["seq"], number >= 0
        else { return nil }
        var changes: [JournalChange] = []
        var set: [String: PropertyListValue] = [:]
        switch fields["set"] {
        case .dictionary(let values)?:
            set = values
            for (name, value) in values { changes.append(JournalChange(name: name, value: value)) }
        case nil: break
        default: return nil
        }
        switch fields["remove"] {
        case .array(let names)?:
            for name in names {
                guard case .string(let name) = name, set[name] == nil else { return nil }
                changes.append(JournalChange(name: name, value: nil))
            }
        case nil: break
        default: return nil
        }
        guard changes.allSatisfy({ KeyName.isValid($0.name) }) else { return nil }
        let kind: Kind
        if let author = JournalAuthor(fields["by"]) {
            kind = .commit(by: author)
        } else if let digest = ContentDigest.read(fields["edit"]),
            let over = ContentDigest.read(fields["over"])
        {
            kind = .edit(digest, over: over)
        } else if case .some(.some(let digest)) = ContentDigest.read(fields["publish"]) {
            kind = .publication(digest)
        } else {
            return nil
        }
        self.init(sequence: UInt64(number), kind: kind, changes: changes)
    }
}

/// One key in a record.
package struct JournalChange: Hashable, Sendable {
    package let name: String
    /// The new value, or nil if the key is removed.
    package let value: PropertyListValue?

    package init(name: String, value: PropertyListValue?) {
        self.name = name
        self.value = value
    }
}

/// Which store object made a commit: a random number for the domain in its process, and the store's
/// own in it.
///
/// A process's number would not do: the system gives it to another process later.
package struct JournalAuthor: Hashable, Sendable {
    package let domain: UInt32
    package let handle: UInt64

    package init(domain: UInt32, handle: UInt64) {
        self.domain = domain
        self.handle = handle
    }

    init?(_ value: PropertyListValue?) {
        guard case .string(let text) = value else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let domain = UInt32(parts[0], radix: 16),
            let handle = UInt64(parts[1])
        else { return nil }
        self.init(domain: domain, handle: handle)
    }
}

extension JournalAuthor: CustomStringConvertible {
    /// The two numbers with a dot between, the first in hexadecimal.
    package var description: String { "\(String(domain, radix: 16)).\(handle)" }
}
