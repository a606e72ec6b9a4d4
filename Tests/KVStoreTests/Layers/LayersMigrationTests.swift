import KVStore
import Testing

@Suite("KVMigration")
struct LayersMigrationTests {
    private struct Failure: Error {}

    private let store = InMemoryKVStore()
    private let version = KVKey<Int>("schemaVersion")
    private let nickname = KVKey<String?>("nickname")
    private let size = KVDefaultKey("size", default: 12.0)

    private var migration: KVMigration {
        KVMigration([
            KVMigration.Step(1) { [nickname] t in
                try t.rename(nickname, previousName: "userName")
            },
            KVMigration.Step(3) { [size] t in
                try t.retype(size) { raw in try Double(raw.decode(String.self)) }
            },
        ])
    }

    private func plant(_ values: [String: PropertyListValue]) throws {
        try store.removeAll()
        for (name, value) in values { try store.setStoredValue(value, for: name) }
    }

    @Test func stepsAreMadeOnceAndTheVersionIsStored() throws {
        try plant(["userName": "Ada", "size": "13.5", "other": [1]])
        #expect(try migration.run(on: store) == [1, 3])
        let migrated: [String: PropertyListValue] = [
            "nickname": "Ada", "size": 13.5, "other": [1], "schemaVersion": 3,
        ]
        #expect(store.storedValues() == migrated)
        try store.setStoredValue("Grace", for: "userName")
        #expect(try migration.run(on: store) == [])
        #expect(store.get(nickname) == "Ada")
    }

    @Test func stepsAboveTheStoredVersionAreMade() throws {
        for (stored, made) in [(0, [1, 3]), (1, [3]), (2, [3]), (3, [])] {
            try plant(["schemaVersion": .integer(Int64(stored)), "size": "1"])
            #expect(try migration.run(on: store) == made)
            #expect(store.get(version) == 3)
        }
    }

    @Test func aNewStoreGetsTheVersionAndNoStep() throws {
        let migration = KVMigration([
            KVMigration.Step(1) { _ in throw Failure() },
            KVMigration.Step(7) { _ in throw Failure() },
        ])
        #expect(try migration.run(on: store) == [])
        #expect(store.storedValues() == ["schemaVersion": 7])
        let scope = store.scoped(to: "app.")
        #expect(try migration.run(on: scope) == [])
        #expect(try scope.storedValues() == ["schemaVersion": 7])
        try plant(["a": 1])
        #expect(throws: Failure.self) { try migration.run(on: store) }
        #expect(store.storedValues() == ["a": 1])
    }

    @Test func aNewerVersionIsRefused() throws {
        try plant(["schemaVersion": 4, "userName": "Ada"])
        for migration in [migration, KVMigration([])] {
            let run = #expect(throws: KVStoreError.self) { try migration.run(on: store) }
            #expect(run?.code == .newerVersion)
            #expect(run?.key == "schemaVersion")
        }
        let preview = #expect(throws: KVStoreError.self) { try migration.preview(on: store) }
        #expect(preview?.code == .newerVersion)
        #expect(store.storedValues() == ["schemaVersion": 4, "userName": "Ada"])
    }

    @Test func aVersionThatCannotBeReadIsNotTakenForNone() throws {
        try plant(["schemaVersion": "two", "userName": "Ada"])
        #expect(throws: DecodingError.self) { try migration.run(on: store) }
        #expect(store.storedValues() == ["schemaVersion": "two", "userName": "Ada"])
    }

    @Test func aStepThatThrowsChangesNothingAndTheStepsBeforeStay() throws {
        try plant(["userName": "Ada", "size": ["no": "number"]])
        #expect(throws: DecodingError.self) { try migration.run(on: store) }
        let half: [String: PropertyListValue] = [
            "nickname": "Ada", "size": ["no": "number"], "schemaVersion": 1,
        ]
        #expect(store.storedValues() == half)
        try store.setStoredValue("2", for: "size")
        #expect(try migration.run(on: store) == [3])
        #expect(store.get(size) == 2)
    }

    @Test func aPreviewListsTheChangesAndMakesNone() throws {
        let planted: [String: PropertyListValue] = ["userName": "Ada", "size": "1", "kept": 1]
        try plant(planted)
        let changes = try migration.preview(on: store)
        #expect(changes.map(\.name) == ["nickname", "schemaVersion", "size", "userName"])
        #expect(changes.map(\.old) == [nil, nil, "1", "Ada"])
        #expect(changes.map(\.new) == ["Ada", 3, 1.0, nil])
        #expect(store.storedValues() == planted)
        try store.removeAll()
        #expect(try migration.preview(on: store).map(\.name) == ["schemaVersion"])
        #expect(store.storedValues() == [:])
        try plant(["size": ["no": "number"]])
        #expect(throws: DecodingError.self) { try migration.preview(on: store) }
    }

    @Test func anotherKeyCanHoldTheVersion() throws {
        try plant(["userName": "Ada", "schemaVersion": "of another library"])
        let own = KVMigration(
            [KVMigration.Step(1) { t in try t.rename(nickname, previousName: "userName") }],
            versionKey: KVKey("app.version")
        )
        #expect(try own.run(on: store) == [1])
        #expect(store.get(KVKey<Int>("app.version")) == 1)
        #expect(store.get(KVKey<String>("schemaVersion")) == "of another library")
    }

    @Test func aNameThatIsTakenKeepsBothValues() throws {
        try plant(["userName": "Ada", "nickname": "Grace"])
        try store.transaction { try $0.rename(nickname, previousName: "userName") }
        #expect(store.storedValues() == ["userName": "Ada", "nickname": "Grace"])
        try store.transaction { try $0.rename(nickname, previousName: "nickname") }
        try store.transaction { try $0.rename(nickname, previousName: "absent") }
        #expect(store.storedValues() == ["userName": "Ada", "nickname": "Grace"])
    }

    @Test func retypingSeesTheRawValueAndMayRemoveIt() throws {
        try plant(["size": [12, "points"]])
        try store.transaction { t in
            try t.retype(size) { raw in
                #expect(raw == [12, "points"])
                return nil
            }
            try t.retype(KVKey<Int>("absent")) { _ in
                Issue.record("An absent key was converted.")
                return 1
            }
        }
        #expect(store.storedValues() == [:])
    }

    @Test(.timeLimit(.minutes(10)))
    func severalAtOnceMakeEachStepOnce() async throws {
        let count = KVDefaultKey("count", default: 0)
        let migration = KVMigration(
            (1...20).map { KVMigration.Step($0) { t in try t.update(count) { $0 += 1 } } }
        )
        try plant(["a": 1])
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 { group.addTask { [store] in try migration.run(on: store) } }
            let made = try await group.reduce(into: []) { $0 += $1 }
            #expect(made.sorted() == Array(1...20))
        }
        #expect(store.get(count) == 20)
    }

    @Test func versionsMustGrow() async {
        await #expect(processExitsWith: .failure) {
            _ = KVMigration([KVMigration.Step(2) { _ in }, KVMigration.Step(2) { _ in }])
        }
        await #expect(processExitsWith: .failure) {
            _ = KVMigration([KVMigration.Step(0) { _ in }])
        }
    }
}
