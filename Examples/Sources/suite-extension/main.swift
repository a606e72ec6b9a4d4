// The extension of `suite-app`: shows the theme whenever it changes, and answers a dark one with a tap
// that makes it light.

import Foundation
import KVStoreReactive
import SharedSuite

let settings = SharedSettings.store()
for await theme in settings.stream(SharedSettings.theme) {
    FileHandle.standardOutput.write(Data("shows \(theme)\n".utf8))
    if theme == .dark {
        try settings.update(SharedSettings.taps) { $0 += 1 }
        try settings.set(SharedSettings.theme, value: .light)
    }
    if theme == .light { break }
}
