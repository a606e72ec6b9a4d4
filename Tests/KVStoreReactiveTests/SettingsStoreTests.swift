import Foundation
import TestSupport
import Testing

/// One class of settings over each kind of store, each in a process of its own.
///
/// Where preferences live is settled when a process starts, so the test process cannot sandbox
/// them.
@Suite("KVSettings over each store", .onOwnThreads)
final class SettingsStoreTests: Sendable {
    private let home = FileManager.default.temporaryDirectory
        .appendingPathComponent("kvstore-settings-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: home)
    }

    @Test(arguments: ["memory", "json", "defaults", "scoped", "layered"])
    func behavesTheSame(kind: String) throws {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = [kind, home.path]
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = home.path
        environment["XDG_CONFIG_HOME"] = home.path
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
    }

    /// The helper lies beside the test bundle.
    private func executable() throws -> URL {
        #if canImport(Darwin)
        let bundle = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") })
        let folder = bundle.bundleURL.deletingLastPathComponent()
        #else
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
        let file = folder.appendingPathComponent("SettingsHelper")
        try #require(FileManager.default.isExecutableFile(atPath: file.path))
        return file
    }
}
