import Foundation
import KVStoreReactive
import KVStoreUserDefaults
import TaskFlow

/// TaskFlow's preferences over in-memory, JSON-file and `UserDefaults` stores in turn.
struct Demo {
    private let file: URL
    private let suite = "group.com.example.taskflow"

    init(directory: String) {
        file = URL(filePath: directory).appending(path: "taskflow.json")
    }

    /// Sets, observes and resets on each backend, then leaves values for the second process.
    func write() async throws {
        let backends: [(String, any KVStoring)] = [
            ("In memory", InMemoryKVStore()),
            ("JSON file", try JSONFileKVStore(url: file)),
            ("UserDefaults", UserDefaultsKVStore(suiteName: suite)),
        ]
        for (name, store) in backends {
            print("\(name)")
            let prefs = TaskFlowPrefs(store: store)
            var themes = prefs.themeStream().makeAsyncIterator()
            try prefs.setTheme(.dark)
            try prefs.setTheme(.light)
            try prefs.resetAll()
            let observed = [
                await themes.next(), await themes.next(), await themes.next(), await themes.next(),
            ]
            let names = observed.map { ($0 ?? nil)?.rawValue ?? "none" }
            print("  theme was observed as: \(names.joined(separator: ", "))")
            try fill(prefs)
            try store.flush()
            print("  stored: \(try shape(of: store))")
        }
        try compare(backends)
    }

    /// Reads in a second process what the first one left.
    func reopen() throws {
        print("\nReopened in a second process")
        let expected = InMemoryKVStore()
        try fill(TaskFlowPrefs(store: expected))
        let backends: [(String, any KVStoring)] = [
            ("In memory, written anew", expected),
            ("JSON file", try JSONFileKVStore(url: file)),
            ("UserDefaults", UserDefaultsKVStore(suiteName: suite)),
        ]
        for (name, store) in backends {
            let prefs = TaskFlowPrefs(store: store)
            print("\(name)")
            print("  \(prefs.displayName ?? "nobody") likes it \(prefs.theme) at \(prefs.fontSize)")
            print("  stored: \(try shape(of: store))")
        }
        try compare(backends)
    }

    private func fill(_ prefs: TaskFlowPrefs) throws {
        try prefs.completeOnboarding()
        try prefs.setDisplayName("Ada")
        try prefs.setTheme(.dark)
        try prefs.setNotificationsEnabled(false)
        try prefs.setFontSize(17.5)
    }

    private func shape(of store: any KVStoring) throws -> String {
        PropertyListValue.dictionary(try store.storedValues()).jsonText
    }

    private func compare(_ backends: [(String, any KVStoring)]) throws {
        let first = try backends[0].1.storedValues()
        for (name, store) in backends where try store.storedValues() != first {
            print("\(name) differs")
            exit(1)
        }
        print("The stored shape is the same on all \(backends.count).")
    }
}
