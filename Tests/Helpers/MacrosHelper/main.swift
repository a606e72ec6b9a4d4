import Foundation
import KVStoreMacros
import KVStoreUserDefaults

// Puts settings that macros declare to every use, over one kind of store, in a process whose
// preferences are the test's own. The arguments are the kind and the path of a file or the name of
// a suite.

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: MacrosHelper memory|jsonFile|userDefaults place")
    exit(64)
}
alarm(240)  // A value that never comes would keep the test waiting.
do {
    let store: any KVStoring =
        switch arguments[1] {
        case "memory": InMemoryKVStore()
        case "jsonFile": try JSONFileKVStore(url: URL(filePath: arguments[2]))
        default: UserDefaultsKVStore(suiteName: arguments[2])
        }
    try await Trial(store: store).run()
} catch {
    print("\(error)")
    exit(1)
}
