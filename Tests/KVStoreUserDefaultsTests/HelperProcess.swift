import Foundation
import KVStore
import TestSupport
import Testing

/// A folder of preferences that is the test's own, and processes that keep theirs in it.
///
/// Where preferences live is read when a process starts, so no test of the store runs in the test
/// process: it would write to the preferences of whoever runs the tests.
final class Sandbox {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kvstore-defaults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The file in which a suite is kept.
    func file(of suite: String) -> URL {
        folder.appendingPathComponent("\(suite).plist")
    }

    /// The names of the files in the folder.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func start(arguments: [String] = []) throws -> HelperProcess {
        try HelperProcess(home: folder, arguments: arguments)
    }

    /// Runs commands in a process of their own, which has ended when this returns.
    @discardableResult
    func run(
        arguments: [String] = [],
        _ commands: PropertyListValue...
    ) throws -> [PropertyListValue] {
        let process = try start(arguments: arguments)
        let answers = try commands.map { try process.send($0) }
        process.end()
        return answers
    }
}

/// A process that works on stores as it is told.
final class HelperProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer = Data()

    fileprivate init(home: URL, arguments: [String]) throws {
        process.executableURL = try HelperProgram.executable("UserDefaultsHelper")
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = home.path
        environment["XDG_CONFIG_HOME"] = home.path
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill() }
    }

    /// Sends a command and waits for its answer.
    @discardableResult
    func send(_ command: PropertyListValue) throws -> PropertyListValue {
        post(command)
        return try PropertyListValue(jsonText: readLine() ?? "")
    }

    /// Sends a command without waiting.
    func post(_ command: PropertyListValue) {
        try? input.fileHandleForWriting.write(contentsOf: Data((command.jsonText + "\n").utf8))
    }

    /// Reads a line that the process prints; nil once it has ended.
    func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer = Data(buffer[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffer.append(more)
        }
    }

    /// Kills the process as a crash would, and waits until it is gone.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Lets the process end, and waits for it.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func stop() {
        Foundation.kill(process.processIdentifier, SIGSTOP)
    }

    func resume() {
        Foundation.kill(process.processIdentifier, SIGCONT)
    }
}
