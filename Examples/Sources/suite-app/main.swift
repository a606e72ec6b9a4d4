// An app and its extension, two programs, over one suite of `UserDefaults`.
//
//   swift run --package-path Examples suite-app

import Foundation
import KVStoreReactive
import SharedSuite

if CommandLine.arguments.dropFirst().first == "run" {
    try await App().run()
} else {
    try runInHomeOfItsOwn()
}

struct App {
    private let settings = SharedSettings.store()

    func run() async throws {
        var themes = settings.stream(SharedSettings.theme).makeAsyncIterator()
        print("app: the theme is \(await themes.next() ?? .system)")

        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
            .appending(path: "suite-extension")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var lines = Lines(file: output.fileHandleForReading)
        print("extension:", lines.next() ?? "ended")

        print("app: sets dark")
        try settings.set(SharedSettings.theme, value: .dark)
        print("extension:", lines.next() ?? "ended")
        for _ in 0..<2 { print("app: the theme is \(await themes.next() ?? .system)") }
        print("extension:", lines.next() ?? "ended")
        process.waitUntilExit()
        print("app: the extension was tapped \(settings.get(SharedSettings.taps)) time")
    }
}

/// The lines that another process prints, each as soon as it is there.
struct Lines: IteratorProtocol {
    let file: FileHandle
    private var rest = ""

    init(file: FileHandle) {
        self.file = file
    }

    mutating func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: "\n") {
                defer { rest.removeSubrange(...end) }
                return String(rest[..<end])
            }
            let data = file.availableData
            if data.isEmpty { return nil }
            rest += String(decoding: data, as: UTF8.self)
        }
    }
}

/// Runs the app as a process of its own, in a temporary home that is removed afterwards.
///
/// The home keeps the suite out of the user's own preferences; on Linux a process settles where they
/// are when it starts.
func runInHomeOfItsOwn() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "suite-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: home) }
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["run"]
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = home.path(percentEncoded: false)
    environment["XDG_CONFIG_HOME"] = nil
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
}
