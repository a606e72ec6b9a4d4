import KVStoreReactive
import TaskFlow
import Testing

@Suite("TaskFlowSettings")
@MainActor
struct TaskFlowSettingsTests {
    let store = InMemoryKVStore()
    let settings: TaskFlowSettings

    init() {
        settings = TaskFlowSettings(store: store)
    }

    @Test func readsWhatThePreferencesWrite() throws {
        let prefs = TaskFlowPrefs(store: store)
        #expect(settings.theme == .system)
        try prefs.setTheme(.dark)
        try prefs.setDisplayName("Ada")
        try prefs.setFontSize(20)
        #expect(settings.theme == .dark)
        #expect(settings.displayName == "Ada")
        #expect(settings.fontSize == 20)
        settings.displayName = nil
        settings.notificationsEnabled = false
        #expect(prefs.displayName == nil)
        #expect(!prefs.notificationsEnabled)
    }

    @Test func storesAMemberWithItsWhole() {
        settings.quietHours.end = 8
        #expect(store.storedValues() == ["taskflow.quietHours": ["start": 22, "end": 8]])
    }
}
