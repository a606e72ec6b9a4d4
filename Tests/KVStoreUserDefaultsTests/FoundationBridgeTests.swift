import Foundation
import KVStoreUserDefaults
import TestSupport
import Testing

@Suite("Bridges to Foundation's forms", .onOwnThreads)
struct FoundationBridgeTests {
    private let store: any KVStoring = InMemoryKVStore()
    private let url = KVKey<URL>("url", bridge: .url)

    /// An archive as Apple platforms write it, spelled out.
    private static func archive(of relative: String, base: String? = nil) throws -> Data {
        let url = "<key>$class</key><dict><key>CF$UID</key><integer>3</integer></dict>"
        let baseObject =
            base.map { base in
                """
                <dict>\(url)<key>NS.base</key><dict><key>CF$UID</key><integer>0</integer></dict>
                <key>NS.relative</key><dict><key>CF$UID</key><integer>5</integer></dict></dict>
                <string>\(base)</string>
                """
            } ?? ""
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>$version</key><integer>100000</integer>
            <key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$top</key><dict><key>root</key>
            <dict><key>CF$UID</key><integer>1</integer></dict></dict>
            <key>$objects</key><array><string>$null</string>
            <dict>\(url)<key>NS.base</key>
            <dict><key>CF$UID</key><integer>\(base == nil ? 0 : 4)</integer></dict>
            <key>NS.relative</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>
            <string>\(relative)</string>
            <dict><key>$classname</key><string>NSURL</string>
            <key>$classes</key><array><string>NSURL</string><string>NSObject</string></array></dict>
            \(baseObject)</array></dict></plist>
            """
        return Data(text.utf8)
    }

    @Test
    func everyFormOfAURLIsRead() throws {
        let home = NSHomeDirectory()
        let forms: [(stored: PropertyListValue, read: String)] = [
            ("/not/a b.txt", "file:///not/a%20b.txt"),
            ("/not/folder/", "file:///not/folder/"),
            ("~/notes", URL(fileURLWithPath: home + "/notes", isDirectory: false).absoluteString),
            ("https://example.com/a?b#c", "https://example.com/a?b#c"),
            (["relative": "https://example.com/x"], "https://example.com/x"),
            (
                ["relative": "x", "base": ["relative": "https://example.com/d/"]],
                "https://example.com/d/x"
            ),
            (.data(try Self.archive(of: "https://example.com/a")), "https://example.com/a"),
            (
                .data(try Self.archive(of: "x", base: "https://example.com/d/")),
                "https://example.com/d/x"
            ),
        ]
        for form in forms {
            try store.setStoredValue(form.stored, for: "url")
            #expect(try store.value(for: url)?.absoluteString == form.read)
        }
    }

    @Test(arguments: [
        "https://example.com/a?b=1#c", "file:///not/a%20b", "file:///not/folder/", "mailto:a@b.c",
        "file://host/share", "data:,x",
    ])
    func urlIsReadAsItWasWritten(text: String) throws {
        let value = try #require(URL(string: text))
        try store.set(url, value: value)
        #expect(try store.value(for: url) == value)
        #expect(try store.value(for: url)?.absoluteString == text)
    }

    @Test
    func urlIsWrittenAsUserDefaultsWritesIt() throws {
        try store.set(url, value: URL(fileURLWithPath: "/not/x"))
        #expect(try store.storedValue(for: "url") == "/not/x")
        let page = try #require(URL(string: "https://example.com/"))
        try store.set(url, value: page)
        guard case .data(let data)? = try store.storedValue(for: "url") else {
            Issue.record("no archive")
            return
        }
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)
        #expect(object?.absoluteString == page.absoluteString)
    }

    @Test
    func whatIsNoURLIsAnError() throws {
        let other = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: [1]),
            requiringSecureCoding: true
        )
        for stored: PropertyListValue in [
            1, true, "", [], ["base": "x"], .data(Data()), .data(Data("x".utf8)), .data(other),
        ] {
            try store.setStoredValue(stored, for: "url")
            #expect(throws: DecodingError.self, "\(stored)") { try store.value(for: url) }
        }
    }

    @Test
    func urlWrittenByTheBridgeIsReadByUserDefaultsAndTheOtherWayRound() throws {
        let sandbox = try Sandbox()
        let process = try sandbox.start()
        for text in ["file:///not/x", "https://example.com/a?b=1"] {
            let text = PropertyListValue.string(text)
            try process.send(["setURL", "suite", "url", text])
            #expect(try process.send(["rawGetURL", "suite", "url"]) == [text])
            #expect(try process.send(["getURL", "suite", "url"]) == [text])
        }
        try process.send(["rawSetURL", "suite", "url", "file:///not/raw"])
        #expect(try process.send(["getURL", "suite", "url"]) == ["file:///not/raw"])
    }

    @Test
    func objectIsArchivedAndReadAgain() throws {
        let key = KVKey<NSUUID>("object", bridge: .archived)
        let value = NSUUID()
        try store.set(key, value: value)
        #expect(try store.value(for: key) == value)
        let list = KVKey<[NSUUID]>("list", bridge: .array(of: .archived))
        try store.set(list, value: [value, value])
        #expect(try store.value(for: list) == [value, value])
        let planted = try NSKeyedArchiver.archivedData(
            withRootObject: value,
            requiringSecureCoding: true
        )
        try store.setStoredValue(.array([.data(planted)]), for: "list")
        #expect(try store.value(for: list) == [value])
    }

    @Test
    func archiveOfAnotherClassIsAnErrorAndNoTrap() throws {
        let key = KVKey<NSUUID>("object", bridge: .archived)
        let others: [any NSObject & NSCoding] = [
            NSArray(array: [NSUUID()]), NSString("x"), NSNull(),
        ]
        for object in others {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: object,
                requiringSecureCoding: false
            )
            try store.setStoredValue(.data(data), for: "object")
            #expect(throws: DecodingError.self) { try store.value(for: key) }
        }
        for stored: PropertyListValue in ["text", .data(Data()), .data(Data("bplist00".utf8))] {
            try store.setStoredValue(stored, for: "object")
            #expect(throws: DecodingError.self) { try store.value(for: key) }
        }
    }

    @Test
    func damagedArchivesAreErrorsAndNoTraps() throws {
        let sandbox = try Sandbox()
        let process = try sandbox.start()
        // In a process of its own, because what it looks for is the end of the process.
        #expect(try process.send(["damageArchives", "", "", 2000]) == [2000])
    }
}
