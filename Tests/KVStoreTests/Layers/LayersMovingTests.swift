import KVStore
import Testing

@Suite("KVStoring.move and copy")
struct LayersMovingTests {
    private let source = InMemoryKVStore()
    private let destination = InMemoryKVStore()
    private let a = KVKey<Int>("a")
    private let b = KVKey<Int>("b")

    init() throws {
        try source.set(a, value: 1)
        try source.set(b, value: 2)
    }

    @Test func everythingIsMovedOrCopied() throws {
        try destination.setStoredValue("own", for: "c")
        #expect(try source.copy(to: destination) == [])
        #expect(source.storedValues() == ["a": 1, "b": 2])
        #expect(destination.storedValues() == ["a": 1, "b": 2, "c": "own"])
        #expect(try source.move(to: destination) == [])
        #expect(source.storedValues() == [:])
        #expect(destination.storedValues() == ["a": 1, "b": 2, "c": "own"])
    }

    @Test func keysCanBeChosen() throws {
        #expect(try source.copy([b], to: destination) == [])
        #expect(destination.storedValues() == ["b": 2])
        #expect(try source.move([a, KVKey<Int>("absent")], to: destination) == [])
        #expect(source.storedValues() == ["b": 2])
        #expect(destination.storedValues() == ["a": 1, "b": 2])
    }

    @Test func aKeyThatDiffersIsLeftInBoth() throws {
        try destination.set(a, value: 10)
        #expect(try source.copy(to: destination) == ["a"])
        #expect(try source.move(to: destination) == ["a"])
        #expect(source.storedValues() == ["a": 1])
        #expect(destination.storedValues() == ["a": 10, "b": 2])
    }

    @Test func whatChangesMeanwhileIsLeft() throws {
        let slow = SlowStore(store: destination) { [source, a] in
            KVStoreError.withHandler({ Issue.record($0) }) { source[a] = 5 }
        }
        #expect(try source.move(to: slow) == ["a"])
        #expect(source.storedValues() == ["a": 5])
        #expect(destination.storedValues() == ["a": 1, "b": 2])
    }

    @Test func aStoreIsNotMovedToItself() throws {
        for same in [source, source.scoped(to: ""), LayeredKVStore(source)] as [any KVStoring] {
            let error = #expect(throws: KVStoreError.self) { try source.move(to: same) }
            #expect(error?.code == .nestedWrite)
        }
        #expect(source.storedValues() == ["a": 1, "b": 2])
    }

    @Test func aDomainGoesIntoAFileAndBack() throws {
        let folder = try TemporaryFolder()
        let values = GoldenFileTests.values
        try source.removeAll()
        for (name, value) in values { try source.setStoredValue(value, for: name) }
        #expect(try source.move(to: JSONFileKVStore(url: folder.file())) == [])
        #expect(source.storedValues() == [:])
        #expect(try JSONFileKVStore(url: folder.file()).move(to: destination) == [])
        #expect(destination.storedValues() == values)
        #expect(try JSONFileKVStore(url: folder.file()).storedValues() == [:])
    }
}

/// A store during whose flush something happens.
private struct SlowStore: KVStoring {
    let store: InMemoryKVStore
    let meanwhile: @Sendable () -> Void

    var feed: (any KVFeed)? { store.feed }

    func storedValue(for name: String) -> PropertyListValue? { store.storedValue(for: name) }
    func storedValues() -> [String: PropertyListValue] { store.storedValues() }

    func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        try store.setStoredValue(value, for: name)
    }

    func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        try store.transaction(body)
    }

    func flush() { meanwhile() }
}
