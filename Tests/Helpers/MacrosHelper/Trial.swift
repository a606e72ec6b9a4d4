import KVStoreMacros
import Observation
import Synchronization

struct Failure: Error {
    let what: String
}

/// Settings of each declaration, over one store.
struct Trial {
    let store: any KVStoring

    func run() async throws {
        try structOfSettings()
        try keys()
        try await classOfSettings()
        try genericSettings()
        try entries()
        try sideEntries()
        try await handles()
    }

    private func require(_ condition: Bool, _ what: String) throws {
        if !condition { throw Failure(what: what) }
    }

    private func structOfSettings() throws {
        let settings = Settings(store: store)
        try require(settings.launchCount == 0 && settings.tries == 3, "defaults are read")
        try require(settings.limit == 10 && settings.nickname == nil, "optionals are read")
        try require(settings.isNew && settings.owner == "test", "other members stay")
        try require(try store.storedValues().isEmpty, "reading creates nothing")

        Settings(store: store).launchCount += 2
        settings.appearance.theme = .dark
        settings.nickname = "Ada"
        settings.limit = nil
        settings.theme = .dark
        settings.hours["mon", default: []].append(8)
        settings.renamed = false
        settings.speed = Speed(rawValue: 7)
        settings.keepSecret()
        try require(
            try store.storedValues() == [
                "app.launchCount": 2,
                "app.appearance": ["theme": "dark", "accents": ["blue"]],
                "app.nickname": "Ada",
                "app.limit": "$null",
                "app.theme": "dark",
                "app.hours": ["mon": [8]],
                "app.oldName": false,
                "app.speed": 7,
                "app.secret": "kept",
            ],
            "values are stored under the names of the properties: \(try store.storedValues())"
        )
        try require(settings.limit == nil && settings.speed.rawValue == 7, "values are read back")
        settings.nickname = nil
        try require(!settings.$nickname.contains(), "nil removes")

        try store.setStoredValue(["theme": 5], for: "app.appearance")
        settings.appearance.theme = .light
        try require(
            try store.storedValue(for: "app.appearance") == ["theme": 5],
            "what cannot be read stays"
        )
    }

    private func keys() throws {
        try require(store.get(Settings.Keys.launchCount) == 2, "keys are typed")
        try require(Settings.Keys.all.count == 10, "all keys are listed")
        let defaults = InMemoryKVStore()
        for key in Settings.Keys.all { try register(key, in: defaults) }
        try require(
            defaults.storedValues()["app.tries"] == 3 && defaults.storedValues().count == 9,
            "defaults can be put in a store of their own"
        )
        for key in Settings.Keys.all { try store.remove(key) }
        try require(try store.storedValues().isEmpty, "all keys can be removed")
    }

    private func register(_ key: some KVKeyProtocol, in store: InMemoryKVStore) throws {
        try store.setStoredValue(try key.stored(key.fallback), for: key.name)
    }

    private func classOfSettings() async throws {
        let settings = SharedSettings(store: store)
        let told = Mutex<[String]>([])
        withObservationTracking {
            _ = settings.launchCount
        } onChange: {
            told.withLock { $0.append("launchCount") }
        }
        withObservationTracking {
            _ = settings.appearance
        } onChange: {
            told.withLock { $0.append("appearance") }
        }
        try store.set(SharedSettings.Keys.launchCount, value: 1)
        try require(told.withLock { $0 } == ["launchCount"], "observers hear of their own only")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { try? settings.$launchCount.update { $0 += 1 } }
            }
        }
        try require(settings.launchCount == 5, "a final class is shared between tasks")
        settings.appearance.accents.append("red")
        try require(settings.appearance.accents == ["blue", "red"], "values change in place")
        try require(told.withLock { $0 } == ["launchCount", "appearance"], "observers hear once")
        try require(observable(settings).store === settings.store, "a class is KVSettings")
    }

    private func observable(_ settings: some KVSettings) -> some KVSettings { settings }

    private func genericSettings() throws {
        let box = Box<Int>(store: store)
        box.items.append(1)
        box.item = 2
        try require(box.items == [1] && box.item == 2, "settings may be generic")
        try require(Box<[Int]>(store: store).item == nil, "another type cannot read them")
        try store.remove(Box<Int>.Keys.item)
        try require(box.item == nil, "keys may be generic")
    }

    private func entries() throws {
        try require(store.visits == 123 && store.visitor == nil, "an entry has a default")
        store.visits += 1
        store.visitor = "Ada"
        store.speed = .normal
        try require(
            try store.storedValue(for: "visits") == 124
                && store.storedValue(for: "entry.visitor") == "Ada"
                && store.storedValue(for: "pace") == 1,
            "entries are stored"
        )
        store.visitor = nil
        try require(!store.contains(KVKey<String>("entry.visitor")), "nil removes an entry")
    }

    private func sideEntries() throws {
        let service = Service()
        service.text += "!"
        Service.starts += 1
        try require(
            sideStore.storedValues() == ["customized": "Some default!", "starts": 1],
            "an entry may name its store"
        )
    }

    private func handles() async throws {
        let settings = Settings(store: store)
        var names = settings.$nickname.stream().makeAsyncIterator()
        try require(await names.next() == .some(nil), "a stream begins with what is there")
        try store.set(Settings.Keys.nickname, value: "Grace")
        try require(await names.next() == "Grace", "a stream goes on with what others write")
        var visits = store.$visits.stream().makeAsyncIterator()
        try require(await visits.next() == 124, "an entry has a stream")
    }
}
