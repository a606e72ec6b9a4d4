// A settings screen over a file that something else writes too.
//
//   swift run --package-path Examples taskflow-settings

import Foundation
import KVStoreReactive
import TaskFlow

let folder = FileManager.default.temporaryDirectory.appending(path: "taskflow-\(UUID())")
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appending(path: "settings.json")

let settings = TaskFlowSettings(store: try JSONFileKVStore(url: file))
let screen = SettingsScreen(settings)
screen.renderIfNeeded()

print("\nThe person changes the theme and when to be quiet:")
settings.theme = .dark
settings.quietHours.end = 8
screen.renderIfNeeded()

print("\nThe command line tool sets the font size, in the same file:")
try TaskFlowPrefs(store: try JSONFileKVStore(url: file)).setFontSize(20)
screen.renderIfNeeded()

print("\nOnboarding is not on the screen, so it is not rendered:")
settings.onboardingCompleted = true
screen.renderIfNeeded()

print("\nAn update that fails changes nothing; a removal brings the default back:")
do {
    try settings.$fontSize.update { size in
        size += 4
        throw CancellationError()
    }
} catch {
    print("  the update was given up, the size is still \(settings.fontSize)")
}
try settings.$theme.remove()
screen.renderIfNeeded()

try settings.store.flush()  // The file is published from the journal, at the latest at exit.
print("\nThe file:")
print(try String(contentsOf: file, encoding: .utf8), terminator: "")
