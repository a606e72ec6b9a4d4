import KVStore
import Synchronization
import Testing

@Suite("KVStoreError")
struct KVStoreErrorTests {
    @Test func descriptionSaysWhatWhereAndWhy() {
        let error = KVStoreError(
            .corrupt,
            reason: "A comma is missing. The file was left as it is.",
            key: "a",
            file: "prefs.json",
            line: 3,
            column: 7
        )
        #expect(
            error.description
                == "corrupt (key \"a\") (prefs.json:3:7): "
                + "A comma is missing. The file was left as it is."
        )
    }

    @Test func codesAreAnOpenSet() {
        #expect(KVStoreError.Code("busy") == .busy)
        #expect(KVStoreError.Code("quota").description == "quota")
    }

    @Test func handlersNestAndEndWithTheirOperation() {
        let outer = Mutex<[String]>([])
        let inner = Mutex<[String]>([])
        let store = BackendKVStore(FailingBackend())
        KVStoreError.withHandler({ error in outer.withLock { $0.append("\(error)") } }) {
            store[KVKey<Int>("a")] = 1
            KVStoreError.withHandler({ error in inner.withLock { $0.append("\(error)") } }) {
                store[KVKey<Int>("b")] = 1
            }
            store[KVKey<Int>("c")] = 1
        }
        #expect(outer.withLock { $0.count } == 2)
        #expect(inner.withLock { $0.count } == 1)
    }
}

/// A medium that reads as empty and refuses writes.
private struct FailingBackend: KVBackend {
    func read(_ name: String) -> PropertyListValue? { nil }

    func readAll() -> [String: PropertyListValue] { [:] }

    func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) throws -> Bool {
        throw KVStoreError(.unwritable, reason: "It always is.")
    }

    func flush() {}
}
