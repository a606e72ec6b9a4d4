// Runs TaskFlow's preferences over every backend, and again in a second process.
//
//   swift run --package-path Examples taskflow-demo

import Foundation

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case nil:
    try runBothProcesses()
case "write":
    try await Demo(directory: arguments.last ?? "").write()
case "reopen":
    try Demo(directory: arguments.last ?? "").reopen()
default:
    FileHandle.standardError.write(Data("usage: taskflow-demo\n".utf8))
    exit(64)
}

/// Runs the two halves as processes of their own, in a temporary home that is removed afterwards.
///
/// The home keeps the demo's `UserDefaults` out of the user's own; on Linux a process settles where
/// they are when it starts.
func runBothProcesses() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "taskflow-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    for half in ["write", "reopen"] {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [half, home.path(percentEncoded: false)]
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = home.path(percentEncoded: false)
        environment["XDG_CONFIG_HOME"] = nil
        process.environment = environment
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
    }
}
