import KVStoreMacros
import Testing

@Suite("Moving to macros")
struct MovingTests {
    private let store = InMemoryKVStore()

    @Test func readsWhatWrappersStored() throws {
        try store.set(KVKey<String>("username"), value: "Ada")
        let settings = UserSettings(store: store)
        #expect(settings.username == "Ada")
        #expect(settings.isFirstLaunch)
        settings.loginCount = 7
        #expect(store.storedValues() == ["username": "Ada", "loginCount": 7])
        try countAndClear(settings)
        #expect(store.storedValues().isEmpty)
    }

    @Test func keepsKeysAndForms() throws {
        let settings = LaunchSettings(store: store)
        settings.isFirstTimeLaunching = false
        settings.profile = Profile(name: "Ada")
        #expect(store.storedValue(for: "isInitialLaunch") == false)
        #expect(try store.value(for: LaunchSettings.Keys.profile)?.name == "Ada")
        guard case .data? = store.storedValue(for: "profile") else {
            Issue.record("The profile is not stored as data.")
            return
        }
        #expect(try LaunchSettings().store.storedValues().isEmpty)
    }

    @Test func givesEveryStoreEntries() throws {
        store.exampleWithDefault += "!"
        store.exampleWithoutDefault = "a"
        store.exampleIntWithoutDefault = 1
        visit(store)
        #expect(
            store.storedValues() == [
                "key_exampleWithDefault": "defaultValue!",
                "key_exampleWithoutDefault": "a",
                "customPrefix_exampleIntWithoutDefault": 1,
                "app.launchCount": 2,
                "visits": 124,
            ]
        )
    }

    @Test func putsAPropertyInAStoreOfItsOwn() {
        let entity = SomeEntity()
        #expect(entity.randomGeneratedString == "Some default value")
        #expect(entity.$randomGeneratedString.contains() == false)
    }
}
