import Foundation
import Testing

/// A program that stands beside the tests, with a folder of its own for files and preferences.
///
/// Where preferences live is settled when a process starts, so a test process cannot sandbox its
/// own.
package final class HelperProgram {
    private let executable: URL
    private let folder: URL

    /// Finds a program by the name of its target.
    package init(_ name: String) throws {
        #if canImport(Darwin)
        let bundle = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") })
        let built = bundle.bundleURL.deletingLastPathComponent()
        #else
        let built = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
        executable = built.appendingPathComponent(name)
        try #require(FileManager.default.isExecutableFile(atPath: executable.path))
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kvstore-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A place that nothing else uses: the path of a file, or the name of a suite.
    package func place(for backend: String) -> String {
        backend == "jsonFile" ? folder.appendingPathComponent("settings.json").path : "helper.suite"
    }

    /// Runs the program to its end.
    ///
    /// - Returns: How it ended, and what it printed without the last line break.
    package func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = folder.path
        environment["XDG_CONFIG_HOME"] = folder.path
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        return (process.terminationStatus, text.trimmingCharacters(in: .newlines))
    }
}
