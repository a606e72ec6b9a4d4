import KVStore
import KVStoreTesting
import Testing

/// Migrations and moves that fail at each write in turn, and are run again.
@Suite("Migration at every failure")
struct MigrationFaultTests {
    private struct Failure: Error {}

    private static let planted: [String: PropertyListValue] = [
        "userName": "Ada", "fontSize": "13.5", "untouched": ["a": [1]],
    ]
    private static let migrated: [String: PropertyListValue] = [
        "nickname": "Ada", "fontSize": 13.5, "untouched": ["a": [1]], "upgrades": 1,
        "schemaVersion": 3,
    ]

    private static let migration = KVMigration([
        KVMigration.Step(1) { t in
            try t.rename(KVKey<String>("nickname"), previousName: "userName")
        },
        KVMigration.Step(2) { t in
            try t.retype(KVKey<Double>("fontSize")) { try Double($0.decode(String.self)) }
        },
        KVMigration.Step(3) { t in
            try t.update(KVDefaultKey("upgrades", default: 0)) { $0 += 1 }
        },
    ])

    private static func store(of values: [String: PropertyListValue]) throws -> InMemoryKVStore {
        let store = InMemoryKVStore()
        for (name, value) in values { try store.setStoredValue(value, for: name) }
        return store
    }

    /// Fails the write with a number, before or after it is made.
    private static func failing(
        _ store: any KVStoring,
        at number: Int,
        afterwards: Bool
    ) -> FailingKVStore {
        FailingKVStore(store) { call in
            guard call.kind == .write, call.number == number else { return nil }
            return afterwards ? .errorAfterwards(Failure()) : .error(Failure())
        }
    }

    @Test(arguments: 1...4, [false, true])
    func aMigrationGoesOnWhereItFailed(number: Int, afterwards: Bool) throws {
        let store = try Self.store(of: Self.planted)
        let failing = Self.failing(store, at: number, afterwards: afterwards)
        if number <= 3 {
            #expect(throws: Failure.self) { try Self.migration.run(on: failing) }
            let done = afterwards ? number : number - 1
            #expect(store.get(KVDefaultKey("schemaVersion", default: 0)) == done)
            #expect(try Self.migration.run(on: failing) == Array(done + 1..<4))
        } else {
            #expect(try Self.migration.run(on: failing) == [1, 2, 3])
        }
        #expect(store.storedValues() == Self.migrated)
    }

    @Test(arguments: 1...2, [false, true])
    func aMoveGoesOnWhereItFailed(number: Int, afterwards: Bool) throws {
        let source = try Self.store(of: Self.planted)
        let destination = InMemoryKVStore()
        let failingSource = Self.failing(source, at: number == 2 ? 1 : 0, afterwards: afterwards)
        let failingDestination = Self.failing(
            destination,
            at: number == 1 ? 1 : 0,
            afterwards: afterwards
        )
        #expect(throws: Failure.self) { try failingSource.move(to: failingDestination) }
        let both = source.storedValues().merging(destination.storedValues()) { $1 }
        #expect(both == Self.planted)
        #expect(try source.move(to: destination) == [])
        #expect(source.storedValues() == [:])
        #expect(destination.storedValues() == Self.planted)
    }

    @Test func whatDoesNotArriveIsNotRemoved() throws {
        let source = try Self.store(of: Self.planted)
        // Takes every commit and keeps nothing.
        struct Hole: KVBackend {
            func read(_ name: String) -> PropertyListValue? { nil }
            func readAll() -> [String: PropertyListValue] { [:] }
            func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) -> Bool {
                true
            }
            func flush() {}
        }
        let error = #expect(throws: KVStoreError.self) {
            try source.move(to: BackendKVStore(Hole()))
        }
        #expect(error?.code == .unwritable)
        let flushing = FailingKVStore(InMemoryKVStore()) {
            $0.kind == .flush ? .error(Failure()) : nil
        }
        #expect(throws: Failure.self) { try source.move(to: flushing) }
        #expect(source.storedValues() == Self.planted)
    }
}
