import KVStoreReactive
import TaskFlow
import Testing

@Suite("TaskFlowPrefs")
struct TaskFlowPrefsTests {
    let store = InMemoryKVStore()
    let prefs: TaskFlowPrefs

    init() {
        prefs = TaskFlowPrefs(store: store)
    }

    @Test func startsWithDefaults() throws {
        #expect(!prefs.onboardingCompleted)
        #expect(prefs.displayName == nil)
        #expect(prefs.theme == .system)
        #expect(prefs.notificationsEnabled)
        #expect(prefs.fontSize == 16)
        #expect(try store.storedValues().isEmpty)
    }

    @Test func remembersWhatIsSet() throws {
        try prefs.completeOnboarding()
        try prefs.setDisplayName("Ada")
        try prefs.setTheme(.dark)
        try prefs.setNotificationsEnabled(false)
        try prefs.setFontSize(20)
        #expect(
            try store.storedValues() == [
                "taskflow.onboardingCompleted": true,
                "taskflow.displayName": "Ada",
                "taskflow.theme": "dark",
                "taskflow.notificationsEnabled": false,
                "taskflow.fontSize": 20.0,
            ]
        )
    }

    @Test func removesTheDisplayNameByNil() throws {
        try prefs.setDisplayName("Ada")
        try prefs.setDisplayName(nil)
        #expect(prefs.displayName == nil)
        #expect(try store.storedValues().isEmpty)
    }

    @Test func resetRemovesEverything() throws {
        try prefs.setTheme(.light)
        try prefs.setFontSize(12)
        try prefs.resetAll()
        #expect(prefs.theme == .system)
        #expect(prefs.fontSize == 16)
    }

    @Test func streamsEachChangeInOrder() async throws {
        var themes = prefs.themeStream().makeAsyncIterator()
        #expect(await themes.next() == .some(nil))
        try prefs.setTheme(.dark)
        try prefs.setTheme(.dark)
        try prefs.setTheme(.light)
        try prefs.resetAll()
        #expect(await themes.next() == .dark)
        #expect(await themes.next() == .light)
        #expect(await themes.next() == .some(nil))
    }

    @MainActor
    @Test func viewModelFollowsOtherWriters() async throws {
        let model = SettingsViewModel(prefs: prefs)
        let observation = Task { await model.observe() }
        try store.set(TaskFlowPrefsKeys.theme, value: .dark)
        model.choose(fontSize: 22)
        while model.theme != .dark || model.fontSize != 22 { await Task.yield() }
        observation.cancel()
        await observation.value
        #expect(model.lastError == nil)
    }
}
