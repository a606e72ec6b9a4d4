// The SwiftUI code of the articles, compiled over the stand-ins.

import KVStoreReactive
import SwiftUI

@MainActor final class Settings: KVSettings {
    let store: ReactiveKVStore
    init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

    @KVStored("launchCount") var launchCount = 0
}

struct SettingsView: View {
    @Bindable var settings: Settings

    var body: some View {
        Stepper("Launches: \(settings.launchCount)", value: $settings.launchCount)
    }
}

struct NameView: View {
    @KVStorage("username") private var username = "Guest"

    var body: some View {
        TextField("Name", text: $username)
    }
}

struct LaunchesView: View {
    @KVStorage("launches") private var launches = 0  // in the store of the environment

    var body: some View {
        Stepper("Launches: \(launches)", value: $launches)
    }
}

@MainActor
func show(_ reactive: ReactiveKVStore) -> some View {
    LaunchesView().environment(\.kvStore, reactive)
}
