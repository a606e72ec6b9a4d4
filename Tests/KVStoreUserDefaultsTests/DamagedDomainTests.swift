#if os(Linux)
import Foundation
import KVStore
import TestSupport
import Testing

@Suite("UserDefaultsKVStore: damaged and forbidden files", .onOwnThreads)
struct DamagedDomainTests {
    private static let header =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">"

    /// Contents that Foundation takes for an empty domain, and writes over.
    private static let damage: [String] = [
        "", "garbage", #"{"json":1}"#, String(repeating: "\u{0}", count: 512),
        header + "<dict><key>a</key><string>b</string></dict>",
        header + "<dict><key>a</key><integer>", header + "<array/></plist>",
        header + "<string>text</string></plist>", "bplist00\u{1}\u{2}",
        header
            + "<dict><key>a</key><dict><key>CF$UID</key><integer>1</integer></dict></dict></plist>",
    ]

    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test(arguments: damage)
    func damagedFileIsPutAsideAndTheBackupRestored(text: String) throws {
        try sandbox.run(["setAll", "suite", ["a": 1, "b": 2]])
        try Data(text.utf8).write(to: sandbox.file(of: "suite"))
        #expect(try sandbox.run(["all", "suite"]) == [[["a": 1, "b": 2]]])
        #expect(try keptTexts() == (text.isEmpty ? [] : [text]))
        #expect(try sandbox.run(["set", "suite", "c", 3], ["get", "suite", "a"]) == [[], [1]])
    }

    @Test(arguments: damage)
    func damagedFileWithoutBackupIsKeptUnderAnotherName(text: String) throws {
        try Data(text.utf8).write(to: sandbox.file(of: "suite"))
        #expect(try sandbox.run(["set", "suite", "a", 1]) == [[]])
        #expect(try sandbox.run(["all", "suite"]) == [[["a": 1]]])
        #expect(try keptTexts() == (text.isEmpty ? [] : [text]))
    }

    @Test
    func damageWhileTheStoreIsOpenDoesNotLoseTheDomain() throws {
        let process = try sandbox.start()
        try process.send(["setAll", "suite", ["a": 1, "b": 2]])
        try Data().write(to: sandbox.file(of: "suite"))
        try process.send(["set", "suite", "c", 3])
        #expect(try process.send(["all", "suite"]) == [["a": 1, "b": 2, "c": 3]])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["a": 1, "b": 2, "c": 3]]])
    }

    @Test
    func damageIsReportedOnce() throws {
        try Data("garbage".utf8).write(to: sandbox.file(of: "suite"))
        let process = try sandbox.start()
        try process.send(["get", "suite", "a"])
        try process.send(["set", "suite", "a", 1])
        let reports = try process.send(["reports"])
        #expect(reports == ["corrupt"])
    }

    @Test
    func removedFileIsAnEmptyDomainAndNotRestored() throws {
        let process = try sandbox.start()
        try process.send(["setAll", "suite", ["a": 1, "b": 2]])
        try FileManager.default.removeItem(at: sandbox.file(of: "suite"))
        try process.send(["set", "suite", "c", 3])
        #expect(try process.send(["all", "suite"]) == [["c": 3]])
    }

    @Test
    func rawPoisonDoesNotLoseWhatWasStored() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "ours", 1])
        try process.send(["rawPoison", "suite", "theirs"])
        try process.send(["rawSync", "suite"])
        process.kill()
        #expect(try sandbox.run(["get", "suite", "ours"]) == [[1]])
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["folder", "pipe", "device"])
    func whatIsNoFileIsRefusedAndLeftAlone(kind: String) throws {
        let path = sandbox.file(of: "suite").path
        switch kind {
        case "folder":
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false
            )
        case "pipe": try #require(unsafe mkfifo(path, 0o600) == 0)
        default: try #require(unsafe symlink("/dev/null", path) == 0)
        }
        let process = try sandbox.start()
        #expect(code(try process.send(["get", "suite", "key"])) == "unreadable")
        #expect(code(try process.send(["set", "suite", "key", 1])) == "unreadable")
        #expect(code(try process.send(["all", "suite"])) == "unreadable")
        #expect(try process.send(["set", "other", "key", 1]) == [])
    }

    @Test
    func fileThatMayNotBeReadIsAnErrorAndLeftAsItIs() throws {
        try sandbox.run(["set", "suite", "key", 1])
        let file = sandbox.file(of: "suite")
        let bytes = try Data(contentsOf: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o200], ofItemAtPath: file.path)
        let process = try sandbox.start()
        // A user who may do everything can read it.
        if getuid() == 0 {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777],
                ofItemAtPath: sandbox.folder.path
            )
            try #require(try process.send(["becomeNobody"]) == [true])
        }
        #expect(code(try process.send(["get", "suite", "key"])) == "unreadable")
        #expect(code(try process.send(["set", "suite", "key", 2])) != nil)
        process.end()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test
    func folderThatMayNotBeWrittenIsAnErrorAndTheOldValueStays() throws {
        try sandbox.run(["set", "suite", "key", 1])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: sandbox.file(of: "suite").path
        )
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555],
            ofItemAtPath: sandbox.folder.path
        )
        defer {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: sandbox.folder.path
            )
        }
        let process = try sandbox.start()
        if getuid() == 0 { try #require(try process.send(["becomeNobody"]) == [true]) }
        #expect(try process.send(["get", "suite", "key"]) == [1])
        #expect(code(try process.send(["set", "suite", "key", 2])) == "unwritable")
        #expect(try process.send(["get", "suite", "key"]) == [1])
        process.end()
        #expect(try sandbox.run(["get", "suite", "key"]) == [[1]])
    }

    @Test
    func fullDiskIsAnErrorAndChangesNothing() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "key", "small"])
        try process.send(["set", "suite", "witness", 1])
        try process.send(["limitFiles", 4096])
        let big = PropertyListValue.string(String(repeating: "x", count: 10_000))
        #expect(code(try process.send(["set", "suite", "key", big])) == "unwritable")
        #expect(try process.send(["all", "suite"]) == [["key": "small", "witness": 1]])
        // There is room for this one.
        #expect(try process.send(["remove", "suite", "key"]) == [])
        #expect(try process.send(["all", "suite"]) == [["witness": 1]])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["witness": 1]]])
    }

    @Test
    func rawWriterOnAFullDiskDoesNotLoseWhatWasStored() throws {
        let process = try sandbox.start()
        try process.send(["set", "suite", "witness", 1])
        try process.send(["limitFiles", 4096])
        let big = PropertyListValue.string(String(repeating: "x", count: 10_000))
        try process.send(["rawSet", "suite", "big", big])
        #expect(code(try process.send(["flush", "suite"])) == "unwritable")
        #expect(try process.send(["get", "suite", "witness"]) == [1])
        #expect(try process.send(["get", "suite", "big"]) == [big])
        process.kill()
        #expect(try sandbox.run(["all", "suite"]) == [[["witness": 1]]])
    }

    @Test
    func linkStaysALink() throws {
        let target = sandbox.folder.appendingPathComponent("elsewhere/target.plist")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: false
        )
        try #require(unsafe symlink("elsewhere/target.plist", sandbox.file(of: "suite").path) == 0)
        try sandbox.run(["set", "suite", "key", 1], ["set", "suite", "key", 2])
        let link = try FileManager.default.destinationOfSymbolicLink(
            atPath: sandbox.file(of: "suite").path
        )
        #expect(link == "elsewhere/target.plist")
        #expect(FileManager.default.fileExists(atPath: target.path))
        #expect(try sandbox.run(["get", "suite", "key"]) == [[2]])
    }

    @Test
    func filesAreTheUsersOwnAndNoneIsLeftOver() throws {
        try sandbox.run(["set", "suite", "key", 1], ["set", "suite", "key", 2])
        #expect(
            try sandbox.names()
                == [".kvstore-userdefaults.lock", ".suite.plist.kvbackup", "suite.plist"]
        )
        for name in try sandbox.names() {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: sandbox.folder.appendingPathComponent(name).path
            )
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        try sandbox.run(["removeAll", "suite"])
        #expect(try sandbox.names() == [".kvstore-userdefaults.lock"])
    }

    /// What damaged files held that were kept.
    private func keptTexts() throws -> [String] {
        try sandbox.names().filter { $0.contains(".damaged-") }.map { name in
            let file = sandbox.folder.appendingPathComponent(name)
            return String(decoding: try Data(contentsOf: file), as: UTF8.self)
        }
    }
}
#endif
