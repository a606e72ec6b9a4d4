import Dispatch
import Foundation
import KVStore
import Testing

@Suite("FolderWatcher")
struct FolderWatcherTests {
    private let folder: TemporaryFolder
    private let path: String
    private let calls = DispatchSemaphore(value: 0)

    init() throws {
        folder = try TemporaryFolder()
        path = try PosixFileSystem().resolve(folder.url.path)
    }

    private func watcher(_ folder: String? = nil) -> FolderWatcher {
        FolderWatcher(folder ?? path, names: ["settings.json"]) { [calls] in calls.signal() }
    }

    private func hasCalled(within seconds: Double = 20) -> Bool {
        if case .success = calls.wait(timeout: .now() + seconds) { true } else { false }
    }

    @Test func everyKindOfSaveCalls() throws {
        let watcher = watcher()
        defer { watcher.cancel() }
        try folder.write("1")
        #expect(hasCalled())
        for round in 0..<3 {
            try Data("\(round)".utf8).write(to: folder.file(), options: .atomic)
            #expect(hasCalled())
        }
        let handle = try FileHandle(forWritingTo: folder.file())
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        #expect(hasCalled())
        try handle.close()
        try FileManager.default.removeItem(at: folder.file())
        #expect(hasCalled())
    }

    @Test func aFolderThatIsMadeLaterIsWatched() throws {
        let inner = folder.file("a/b")
        let watcher = watcher(path + "/a/b")
        defer { watcher.cancel() }
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        #expect(hasCalled())
        try Data().write(to: inner.appending(path: "settings.json"))
        #expect(hasCalled())
    }

    @Test(arguments: [true, false])
    func aFolderThatIsRemovedAndComesBackIsWatched(_ byMoving: Bool) throws {
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        let watcher = watcher(path + "/inner")
        defer { watcher.cancel() }
        if byMoving {
            try FileManager.default.moveItem(at: inner, to: folder.file("elsewhere"))
        } else {
            try FileManager.default.removeItem(at: inner)
        }
        #expect(hasCalled())
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        #expect(hasCalled())
        while hasCalled(within: 0.05) {}
        try Data("1".utf8).write(to: inner.appending(path: "settings.json"))
        #expect(hasCalled())
    }

    @Test func watchersOfOneFolderDoNotEndEachOther() throws {
        let first = watcher()
        let second = watcher()
        defer { second.cancel() }
        first.cancel()
        first.cancel()
        try folder.write("1")
        #expect(hasCalled())
    }

    @Test func otherFilesAndACancelledWatcherDoNotCall() throws {
        let watcher = watcher()
        try folder.write("1", to: "other.json")
        try folder.write("1")
        #expect(hasCalled())
        watcher.cancel()
        while hasCalled(within: 0.05) {}
        // A second watcher's call shows that the system has reported the change.
        let witness = DispatchSemaphore(value: 0)
        let other = FolderWatcher(path, names: ["other.json"]) { witness.signal() }
        try folder.write("2")
        try folder.write("2", to: "other.json")
        #expect(witness.wait(timeout: .now() + 20) == .success)
        other.cancel()
        #expect(!hasCalled(within: 0))
    }
}
