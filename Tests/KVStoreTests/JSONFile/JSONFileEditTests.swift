import Foundation
import KVStore
import TestSupport
import Testing

/// What people do to the file while the journal holds commits that the file lacks.
@Suite("JSONFile edits", .onOwnThreads)
struct JSONFileEditTests {
    /// How an editor saves.
    enum Saving: String, CaseIterable {
        case inPlace, byRenaming, movingTheOldFileAway
    }

    /// An edit, and what comes of it for the keys.
    struct Edit: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String?
        let expected: [String: PropertyListValue]
    }

    // The file has kept = 1, touched = 1, gone = 1; the journal sets kept = 2 and added = 2.
    private static let edits = [
        Edit(
            testDescription: "a key that nobody committed",
            text: "{\"kept\": 1, \"touched\": 5, \"gone\": 1}",
            expected: ["kept": 2, "touched": 5, "gone": 1, "added": 2]
        ),
        Edit(
            testDescription: "a key that was committed meanwhile",
            text: "{\"kept\": 7, \"touched\": 1, \"gone\": 1}",
            expected: ["kept": 7, "touched": 1, "gone": 1, "added": 2]
        ),
        Edit(
            testDescription: "a key that is removed and one that is new",
            text: "{\"kept\": 1, \"touched\": 1, \"new\": true}",
            expected: ["kept": 2, "touched": 1, "new": true, "added": 2]
        ),
        Edit(
            testDescription: "the same key as a commit, set to the same",
            text: "{\"kept\": 2, \"touched\": 1, \"gone\": 1, \"added\": 3}",
            expected: ["kept": 2, "touched": 1, "gone": 1, "added": 3]
        ),
        Edit(
            testDescription: "white space and order",
            text: "{ \"touched\":1,\n\n\"gone\":1,   \"kept\":1 }",
            expected: ["kept": 2, "touched": 1, "gone": 1, "added": 2]
        ),
        Edit(
            testDescription: "a backup of long ago",
            text: "{\"kept\": 0, \"old\": 0}",
            expected: ["kept": 0, "old": 0, "added": 2]
        ),
        Edit(
            testDescription: "the file is deleted",
            text: nil,
            expected: ["added": 2]
        ),
    ]

    private let folder: TemporaryFolder
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file()
    }

    /// Opens the store as another process would, which shares nothing with others here.
    private func open() throws -> JSONFileDomain {
        let path = try PosixFileSystem().resolve(url.path)
        let domain = JSONFileDomain(JSONFileEngine(path: path, on: PosixFileSystem()))
        try domain.file.load(quarantining: false)
        return domain
    }

    private func save(_ text: String?, _ saving: Saving) throws {
        guard let text else { return try FileManager.default.removeItem(at: url) }
        switch saving {
        case .inPlace: try folder.write(text)
        case .byRenaming: try Data(text.utf8).write(to: url, options: .atomic)
        case .movingTheOldFileAway:
            try FileManager.default.moveItem(at: url, to: folder.file("settings.json~"))
            try folder.write(text)
        }
    }

    @Test(arguments: edits, Saving.allCases)
    func whatWasEditedWinsAndWhatWasNotIsLeftAlone(_ edit: Edit, _ saving: Saving) throws {
        for isOpen in [true, false] {
            try folder.write("{\"kept\": 1, \"touched\": 1, \"gone\": 1}")
            for name in try folder.names() where name != "settings.json" {
                try FileManager.default.removeItem(at: folder.file(name))
            }
            // The writer stays until the end, because its last store would write the file.
            let writer = try open()
            try writer.set(["kept": 2, "added": 2])
            try save(edit.text, saving)
            let store = isOpen ? writer : try open()
            try store.file.refresh()
            let found = try store.storedValues()
            #expect(found == edit.expected, "\(isOpen ? "open" : "closed")")
            // A commit after the edit survives it, here and for all others.
            try store.set(["kept": 8])
            let last = edit.expected.merging(["kept": 8]) { $1 }
            #expect(try store.storedValues() == last)
            #expect(try open().storedValues() == last)
            try store.flush()
            #expect(try JSONText.values(from: Array(folder.text().utf8)) == last)
            try writer.file.refresh()
            #expect(try writer.storedValues() == last)
        }
    }

    @Test func anEditIsOneCommitForEveryProcess() async throws {
        let writer = try open()
        try writer.set(["a": 1, "b": 1])
        try writer.flush()
        let other = try open()
        let feeds = [writer, other].map { domain in
            DomainFeed(domain, handle: HandleID())
                .subscribe(to: nil, initial: false, bufferingPolicy: .unbounded)
        }
        try folder.write("{\"a\": 2, \"b\": 2}")
        for feed in feeds {
            let commit = try #require(await feed.next()?.commit)
            #expect(commit.origin == .fileEdit)
            #expect(commit.change(of: "a")?.old == 1)
            #expect(commit.change(of: "b")?.new == 2)
        }
        // Noting the edit in the journal is no change.
        try writer.set(["a": 3])
        for feed in feeds {
            let commit = try #require(await feed.next()?.commit)
            #expect(commit.changes.count == 1)
            #expect(commit.change(of: "a")?.old == 2)
        }
    }

    @Test func aJournalThatIsDeletedUnderAnOpenStoreIsWrittenAgain() throws {
        let store = try open()
        try store.set(["a": 1])
        try store.flush()
        try store.set(["a": 2, "b": 2])
        try FileManager.default.removeItem(at: folder.file("settings.json.journal"))
        try store.set(["c": 3])
        #expect(try store.storedValues() == ["a": 2, "b": 2, "c": 3])
        #expect(try open().storedValues() == ["a": 2, "b": 2, "c": 3])
    }

    @Test func aJournalOfALaterVersionIsRefusedAndLeftAlone() throws {
        let store = try open()
        try store.set(["a": 1])
        try store.flush()
        let journal = "KVJ2 0123456789abcdef {}\n"
        try Data(journal.utf8).write(to: folder.file("settings.json.journal"), options: .atomic)
        let text = try folder.text()
        for action in [
            { _ = try JSONFileKVStore(url: url) },
            { try store.set(["a": 2]) },
            { try store.flush() },
            { _ = try store.storedValue(for: "a") },
        ] as [() throws -> Void] {
            let error = #expect(throws: KVStoreError.self) { try action() }
            #expect(error?.code == .newerFormat)
        }
        #expect(try folder.text() == text)
        #expect(try folder.text(of: "settings.json.journal") == journal)
    }

    @Test func aFileWithSeveralNamesIsReported() throws {
        try folder.write("{\"a\": 1}")
        try FileManager.default.linkItem(at: url, to: folder.file("other.json"))
        let errors = Errors()
        try KVStoreError.withHandler(errors.append) {
            let store = try JSONFileKVStore(url: url)
            try store.setStoredValue(2, for: "a")
            try store.flush()
        }
        #expect(errors.all.count == 1)
        #expect(errors.all.first?.reason.contains("2 names") == true)
        #expect(try folder.text(of: "other.json") == "{\"a\": 1}")
    }
}
