import Foundation
import KVStoreReactive

// Runs one class of settings over one kind of store, in a process whose preferences are the test's
// own. The arguments are the kind, a folder, and "write" for a process that is only to be another
// writer of the same store.

let arguments = CommandLine.arguments
guard arguments.count >= 3, let kind = Kind(rawValue: arguments[1]) else {
    print("usage: SettingsHelper memory|json|defaults folder [write]")
    exit(64)
}
alarm(240)  // A value that never comes would keep the test waiting.
do {
    let folder = arguments[2]
    if arguments.last == "write" {
        try kind.open(in: folder).set(KVKey<Int>("launchCount"), value: 41)
    } else {
        try await Trial(of: kind, in: folder).run()
    }
} catch {
    print("\(error)")
    exit(1)
}
