import Foundation
import KVStore
import TestSupport
import Testing

/// Migrations and moves in processes that are killed at each point in turn, and run again.
@Suite("Migration in processes that are killed", .onOwnThreads, .timeLimit(.minutes(10)))
struct MigrationProcessTests {
    private let folder: TemporaryFolder
    private let helper: HelperProgram

    init() throws {
        folder = try TemporaryFolder()
        helper = try HelperProgram("MigrationHelper")
    }

    /// Runs the helper.
    ///
    /// - Returns: What it printed, or nil if it was killed.
    private func run(_ arguments: String...) throws -> String? {
        let (status, output) = try helper.run(arguments)
        if status == SIGKILL { return nil }
        #expect(status == 0, "\(output)")
        return output
    }

    @Test func aMigrationKilledAtAnyPointEndsTheSame() throws {
        let migrated: [String: PropertyListValue] = [
            "nickname": "Ada", "fontSize": 13.5, "width": 640, "height": 480, "upgrades": 1,
            "schemaVersion": 5, "kept": ["newer": [1]],
        ]
        var point = 0
        var isKilled = true
        while isKilled {
            point += 1
            let file = folder.newFile()
            try Data(
                """
                {"userName": "Ada", "fontSize": "13.5", "window": "640x480",
                 "kept": {"newer": [1]}}
                """.utf8
            ).write(to: file)
            isKilled = try run("migrate", file.path, "\(point)") == nil
            // Again at the same point from where it was left, and then to the end.
            _ = try run("migrate", file.path, "\(point)")
            #expect(try run("migrate", file.path, "0") == "")
            #expect(try JSONFileKVStore(url: file).storedValues() == migrated)
        }
        #expect(point == 10)
    }

    @Test func aDomainMovesToAFileAndBackWhateverIsKilled() throws {
        var point = 0
        var isKilled = true
        while isKilled {
            point += 1
            let file = folder.newFile()
            let suite = "suite\(point)"
            _ = try run("plant", suite)
            let text = try #require(try run("print", suite))
            guard case .dictionary(let planted) = try PropertyListValue(jsonText: text) else {
                Issue.record("\(text)")
                return
            }
            #expect(planted.count == 8)
            #expect(planted["own"] == .real(-0.0))
            #expect(planted["tree"] == ["a": [1, 2], "b": ["c": "d"]])
            isKilled = try run("move", suite, file.path, "\(point)") == nil
            #expect(try run("move", suite, file.path, "0") == "[]")
            #expect(try run("print", suite) == "{}")
            #expect(try JSONFileKVStore(url: file).storedValues() == planted)
            _ = try run("restore", file.path, suite)
            #expect(try run("print", suite) == text)
            #expect(try JSONFileKVStore(url: file).storedValues() == planted)
        }
        #expect(point == 5)
    }

    @Test func aCopiedDomainStaysWhereItWas() throws {
        let file = folder.newFile()
        _ = try run("plant", "suite")
        _ = try run("copy", "suite", file.path)
        let text = try #require(try run("print", "suite"))
        let values = try JSONFileKVStore(url: file).storedValues()
        #expect(values.count == 8)
        #expect(try PropertyListValue(jsonText: text) == .dictionary(values))
    }
}
