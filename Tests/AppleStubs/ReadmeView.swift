// The SwiftUI code of README.md, compiled over the stand-ins.

import KVStoreReactive
import SwiftUI

struct SettingsView: View {
    @KVStorage("launches") private var launches = 0  // in the store of the environment

    var body: some View {
        Stepper("Launches: \(launches)", value: $launches)
    }
}

@MainActor
func show(_ reactive: ReactiveKVStore) -> some View {
    SettingsView().environment(\.kvStore, reactive)
}
