import Foundation
import KVStoreReactive
import Observation

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// Settings put to every use, over one kind of store.
@MainActor
struct Trial {
    private let kind: Kind
    private let folder: String
    private let store: any KVStoring
    private let settings: Settings
    private let lastRun = Date(timeIntervalSinceReferenceDate: 800_000_000.25)

    init(of kind: Kind, in folder: String) throws {
        self.kind = kind
        self.folder = folder
        store = try kind.open(in: folder)
        settings = Settings(store: store)
    }

    func run() async throws {
        try readDefaults()
        try write()
        try removeAndStoreNil()
        try await follow()
        try keepWhatCannotBeRead()
        try await hearOfAnotherProcess()
        try release()
    }

    private func require(_ condition: Bool, _ what: String) throws {
        if !condition { throw Failure(description: "\(kind): \(what)") }
    }

    private func readDefaults() throws {
        try require(settings.appearance == Appearance(), "a default is read")
        try require(settings.launchCount == 0 && settings.limit == 10, "defaults are read")
        try require(settings.nickname == nil && settings.lastRun == nil, "absent is nil")
        try require(try store.storedValues().isEmpty, "reading creates nothing")
    }

    private func write() throws {
        settings.appearance.theme = .dark
        settings.appearance.accents.append("red")
        settings.launchCount += 2
        settings.nickname = "Ada"
        settings.lastRun = lastRun
        try require(
            try store.storedValues() == [
                "appearance": ["theme": "dark", "accents": ["blue", "red"]],
                "launchCount": 2,
                "nickname": "Ada",
                "lastRun": .date(lastRun),
            ],
            "the stored shape is the same everywhere"
        )
        try require(settings.appearance.accents == ["blue", "red"], "what was written is read")
        try require(settings.lastRun == lastRun, "a date is read as it was written")
        let again = Settings(store: kind.isShared ? try kind.open(in: folder) : store)
        try require(again.appearance == settings.appearance, "another object reads the same")
    }

    private func removeAndStoreNil() throws {
        settings.nickname = nil
        try settings.$lastRun.remove()
        settings.limit = nil
        try require(!settings.$nickname.contains(), "nil removes")
        try require(settings.limit == nil && settings.$limit.contains(), "nil over a default stays")
        try settings.$limit.remove()
        try require(settings.limit == 10, "removing gives the default back")
    }

    private func follow() async throws {
        var names = settings.$nickname.stream().makeAsyncIterator()
        let first = await names.next()
        try require(first == .some(nil), "a stream begins with the present value")
        try store.set(KVKey<String>("nickname"), value: "Grace")
        let second = await names.next()
        try require(second == "Grace", "a stream follows the raw store")

        let (changes, isOver) = track { _ = settings.nickname }
        try store.set(KVKey<Int>("launchCount"), value: 8)
        settings.nickname = "Grace"
        settings.nickname = "Ada"
        settings.nickname = "Alan"
        isOver()
        var count = 0
        for await _ in changes { count += 1 }
        try require(count == 1, "a change is told once, and no other: \(count)")
        try require(settings.launchCount == 8, "the raw store's value is read")
        try require(
            try settings.$launchCount.update {
                $0 += 1; return $0
            } == 9,
            "updates"
        )
    }

    private func keepWhatCannotBeRead() throws {
        let newer: PropertyListValue = ["theme": "automatic"]
        try store.setStoredValue(newer, for: "appearance")
        let errors = Errors()
        try require(settings.appearance == Appearance(), "what cannot be read is the default")
        KVStoreError.withHandler({ _ in errors.add() }) { settings.appearance.theme = .dark }
        try require(try store.storedValue(for: "appearance") == newer, "it is kept")
        try require(errors.count == 1, "keeping it is reported")
        try require(throws: { try settings.$appearance.update { _ in } }, "an update refuses")
        try settings.$appearance.remove()
    }

    private func hearOfAnotherProcess() async throws {
        guard kind.isShared else { return }
        let (changes, _) = track { _ = settings.launchCount }
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [kind.rawValue, folder, "write"]
        try process.run()
        process.waitUntilExit()
        try require(process.terminationStatus == 0, "another process writes")
        for await _ in changes { break }
        try require(settings.launchCount == 41, "another process's value is read")
    }

    private func release() throws {
        weak var released: Settings?
        do {
            let settings = Settings(store: store)
            released = settings
            _ = track { _ = settings.launchCount }
        }
        try require(released == nil, "the object is released")
    }

    private func require(throws body: () throws -> Void, _ what: String) throws {
        do {
            try body()
        } catch {
            return
        }
        throw Failure(description: "\(kind): \(what)")
    }

    /// Returns what tells of the change of what is read, and ends that.
    private func track(
        _ read: () -> Void
    ) -> (changes: AsyncStream<Void>, isOver: () -> Void) {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        withObservationTracking(read) { continuation.yield() }
        return (stream, { continuation.finish() })
    }
}
