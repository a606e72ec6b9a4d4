// The code of TestingPreferences.md, compiled and run.

import KVStoreReactive
import KVStoreTesting
import Synchronization
import Testing

enum ReaderKeys {
    static let theme = KVDefaultKey("theme", default: "light")
}

final class ReaderPreferences: Sendable {
    private let store: any KVStoring

    init(store: any KVStoring) {
        self.store = store
    }

    var theme: String { store.get(ReaderKeys.theme) }

    func setTheme(_ theme: String) throws {
        try store.set(ReaderKeys.theme, value: theme)
    }
}

@Suite("TestingPreferences.md")
struct TestingTour {
    @Test func theThemeIsRemembered() throws {
        let store = InMemoryKVStore()
        try ReaderPreferences(store: store).setTheme("dark")
        #expect(ReaderPreferences(store: store).theme == "dark")
        #expect(store.storedValues() == ["theme": "dark"])
    }

    @Test func anUnknownThemeFallsBack() throws {
        let store = InMemoryKVStore()
        try store.setStoredValue(["since": "2.0"], for: "theme")
        #expect(ReaderPreferences(store: store).theme == "light")
    }

    @Test(.timeLimit(.minutes(10))) func aChangeOfAnotherWriterIsSeen() async throws {
        let store = InMemoryKVStore()
        var themes = ReactiveKVStore(store).stream(ReaderKeys.theme).makeAsyncIterator()
        #expect(await themes.next() == "light")
        try store.set(ReaderKeys.theme, value: "dark")
        #expect(await themes.next() == "dark")
    }

    @Test func aFailedWriteIsReportedAndChangesNothing() {
        let errors = Mutex<[String]>([])
        let broken = FailingKVStore(InMemoryKVStore())
        KVStoreError.withHandler({ error in errors.withLock { $0.append("\(error)") } }) {
            broken[ReaderKeys.theme] = "dark"
        }
        #expect(broken.get(ReaderKeys.theme) == "light")
        #expect(errors.withLock { $0.count } == 1)
    }
}
