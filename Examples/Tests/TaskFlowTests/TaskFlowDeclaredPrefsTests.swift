import KVStoreReactive
import TaskFlow
import Testing

@Suite("TaskFlowDeclaredPrefs")
struct TaskFlowDeclaredPrefsTests {
    @Test func keepsWhatTheHandWrittenOneKeeps() throws {
        let store = InMemoryKVStore()
        let written: any TaskFlowPrefsProtocol = TaskFlowPrefs(store: store)
        let declared: any TaskFlowPrefsProtocol = TaskFlowDeclaredPrefs(store: store)
        #expect(declared.theme == written.theme)
        #expect(declared.fontSize == written.fontSize)
        #expect(declared.notificationsEnabled == written.notificationsEnabled)

        try declared.completeOnboarding()
        try declared.setTheme(.dark)
        try declared.setDisplayName("Ada")
        try declared.setFontSize(20)
        #expect(written.onboardingCompleted)
        #expect(written.theme == .dark)
        #expect(written.displayName == "Ada")
        #expect(written.fontSize == 20)

        try written.setDisplayName(nil)
        try written.setNotificationsEnabled(false)
        #expect(declared.displayName == nil)
        #expect(!declared.notificationsEnabled)
        try declared.resetAll()
        #expect(store.storedValues().isEmpty)
    }
}
