#if os(Linux)
import Foundation
import Glibc
import KVStore
import TestSupport
import Testing

@Suite("UserDefaultsKVStore: a full disk", .onOwnThreads)
struct FullDiskTests {
    private static let page = 4096

    /// Whether this process may mount file systems; the tests are skipped where it may not.
    private static let mayMount: Bool = {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kvstore-mount-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard mount(folder) else { return false }
        unmount(folder)
        return true
    }()

    private static func mount(_ folder: URL) -> Bool {
        unsafe Glibc.mount("tmpfs", folder.path, "tmpfs", 0, "size=128k") == 0
    }

    private static func unmount(_ folder: URL) {
        _ = unsafe umount2(folder.path, CInt(MNT_DETACH))
    }

    @Test(.enabled(if: mayMount), arguments: [false, true])
    func diskThatFillsUpAtAnyStepChangesNothingOrEverything(isCoalesced: Bool) throws {
        let sandbox = try Sandbox()
        try #require(Self.mount(sandbox.folder))
        defer { Self.unmount(sandbox.folder) }
        let suite: PropertyListValue = isCoalesced ? "coalesced suite" : "suite"
        let filler = sandbox.folder.appendingPathComponent("filler")
        var expected = try values(sandbox.run(["set", "suite", "old", 1], ["all", "suite"]).last)
        var outcomes: Set<Bool> = []
        for free in 0..<12 {
            let big = PropertyListValue.string(String(repeating: "\(free)", count: 9_000))
            let process = try sandbox.start()
            try process.send(["get", suite, "old"])
            try fill(filler, leaving: free, in: sandbox.folder)
            let answer = try process.send(["set", suite, "big", big])
            let isStored = try (isCoalesced ? process.send(["flush", suite]) : answer) == []
            outcomes.insert(isStored)
            if isStored { expected["big"] = big }
            if !isStored, !isCoalesced {
                #expect(code(answer) == "unwritable")
                #expect(try process.send(["all", suite]) == [.dictionary(expected)])
            }
            process.kill()
            // With the disk still full, and with room again.
            let found = try values(sandbox.run(["all", "suite"]).last)
            if isCoalesced, !isStored, found["big"] == big { expected["big"] = big }
            #expect(found == expected, "\(free)")
            try FileManager.default.removeItem(at: filler)
            #expect(try sandbox.run(["all", "suite"]) == [[.dictionary(expected)]], "\(free)")
        }
        #expect(outcomes == [true, false])
    }

    /// Fills the disk but for some pages.
    private func fill(_ file: URL, leaving pages: Int, in folder: URL) throws {
        var status = statvfs()
        try #require(unsafe statvfs(folder.path, &status) == 0)
        let size = max(0, Int(status.f_bavail) - pages) * Self.page
        try Data(repeating: 0, count: size).write(to: file)
    }

    private func values(_ answer: PropertyListValue?) throws -> [String: PropertyListValue] {
        guard case .array(let all)? = answer, case .dictionary(let values)? = all.first else {
            return [:]
        }
        return values
    }
}
#endif
