import Foundation
import KVStore
import Testing

@Suite("PathResolution")
struct PathResolutionTests {
    private let folder: TemporaryFolder
    private let system = PosixFileSystem()
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try system.resolve(folder.url.path)
        try FileManager.default.createDirectory(
            at: folder.file("a/b"),
            withIntermediateDirectories: true
        )
    }

    @Test(arguments: [
        ("a/b", "a/b"), ("a/./b//", "a/b"), ("a/../a/b", "a/b"), ("missing/../x", "x"),
        ("to-b/f", "a/b/f"), ("to-b/../f", "a/f"), ("dangling", "nowhere/f"), ("chain", "a/b"),
        ("missing/deep/f", "missing/deep/f"),
    ])
    func aPathLeadsWhereTheSystemWouldGo(_ path: String, _ expected: String) throws {
        let links = [("to-b", "a/b"), ("dangling", "nowhere/f"), ("chain", "to-b")]
        for (name, destination) in links {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name).path,
                withDestinationPath: destination
            )
        }
        #expect(try system.resolve("\(root)/\(path)") == "\(root)/\(expected)")
    }

    @Test func aCircleThrows() throws {
        for (name, destination) in [("x", "y"), ("y", "x")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name).path,
                withDestinationPath: destination
            )
        }
        #expect(throws: SystemError(ELOOP, "readlink")) { try system.resolve("\(root)/x") }
    }
}
