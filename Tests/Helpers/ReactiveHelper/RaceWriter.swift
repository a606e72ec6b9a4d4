import Dispatch
import Foundation
import KVStore

/// Who writes in a race.
protocol RaceWriter: Sendable {
    /// Whether the writes are those of another process.
    var isOther: Bool { get }

    /// Counts to a number, and returns when it is stored.
    func count(to last: Int) async throws
}

/// Two threads of this process, each with a store object of its own.
final class OwnThreads: RaceWriter {
    let isOther = false
    private let stores: [any KVStoring]

    init(_ place: Place) throws {
        stores = [try place.open(), try place.open()]
    }

    func count(to last: Int) async throws {
        try await withThrowingTaskGroup { group in
            for store in stores {
                group.addTask { try await onThread { try store.count(to: last) } }
            }
            try await group.waitForAll()
        }
    }
}

/// Another process, which is told by lines what to count to.
final class OtherProcess: RaceWriter {
    let isOther = true
    private let input = Pipe()
    private let output = Pipe()

    init(_ place: Place) throws {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["write", place.backend.rawValue, place.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func count(to last: Int) async throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(last)\n".utf8))
        let answer = try await onThread { [output] in
            var answer = ""
            while !answer.hasSuffix("\n") {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { break }
                answer += String(decoding: data, as: UTF8.self)
            }
            return answer
        }
        guard answer == "\(last)\n" else { throw Violation("the other process said: \(answer)") }
    }
}

/// What the other process does, until its input ends.
func writeAsTold(_ place: Place) throws {
    let store = try place.open()
    while let line = readLine(), let last = Int(line) {
        try store.count(to: last)
        FileHandle.standardOutput.write(Data("\(last)\n".utf8))
    }
}

/// Runs a body that blocks on a thread that may be blocked.
func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
