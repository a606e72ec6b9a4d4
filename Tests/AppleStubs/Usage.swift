// A program with its users' settings (plain Swift 6) that uses the Combine and SwiftUI surfaces over
// the stand-ins, and fails where they do not do what their documentation says.

import Combine
import KVStoreReactive
import Observation
import SwiftUI

func check(_ condition: Bool, _ what: String, line: Int = #line) {
    guard !condition else { return }
    print("Usage.swift:\(line): \(what)")
    preconditionFailure(what)
}

// MARK: Combine

final class Recorder<Input>: Subscriber {
    typealias Failure = Never

    var inputs: [Input] = []
    var isFinished = false
    var subscription: (any Subscription)?
    var react: (Input) -> Subscribers.Demand = { _ in .none }

    func receive(subscription: any Subscription) {
        check(inputs.isEmpty && !isFinished, "The subscription comes first.")
        self.subscription = subscription
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        inputs.append(input)
        return react(input)
    }

    func receive(completion: Subscribers.Completion<Never>) {
        isFinished = true
    }
}

let count = KVDefaultKey("count", default: 0)
let name = KVKey<String?>("name")

func usePublishers() throws {
    var store: ReactiveKVStore? = ReactiveKVStore(InMemoryKVStore())
    let recorder = Recorder<Int>()
    let names = Recorder<String?>()
    let cancelled = Recorder<Int>()
    if let store {
        store.publisher(count).subscribe(recorder)
        store.publisher(name).subscribe(names)
        store.publisher(count).subscribe(cancelled)
        names.subscription?.request(.unlimited)
        cancelled.subscription?.request(.max(1))
        cancelled.subscription?.cancel()
        try store.set(count, value: 1)
        check(recorder.inputs.isEmpty, "Nothing comes without demand.")
        recorder.subscription?.request(.max(1))
        check(recorder.inputs == [0], "The value at the subscription comes first.")
        recorder.react = { $0 == 1 ? .max(1) : .none }
        recorder.subscription?.request(.max(1))
        try store.set(count, value: 2)
        try store.set(count, value: 3)
        check(recorder.inputs == [0, 1, 2], "What a subscriber returns is demand.")
        try store.set(name, value: "Ada")
        try store.set(name, value: nil)
        check(names.inputs == [nil, "Ada", nil], "A key for an optional type reads as it.")
    }
    store = nil
    check(!recorder.isFinished, "A value that waits comes before the end.")
    recorder.subscription?.request(.unlimited)
    check(recorder.inputs == [0, 1, 2, 3] && recorder.isFinished, "All values, then the end.")
    check(names.isFinished, "The end needs no demand.")
    check(cancelled.inputs == [0] && !cancelled.isFinished, "Cancelling is the end of it.")
}

// MARK: SwiftUI

struct Appearance: Codable, Equatable {
    var isDark = false
    var accent = "blue"
}

struct SettingsView: View {
    @KVStorage("launches") var launches = 7
    @KVStorage("nickname") var nickname: String?
    @KVStorage(count) var counted
    @KVStorage(name) var named: String?
    @KVStorage("appearance") var appearance = Appearance()

    var body: some View {
        // What a body may say; rendering is played below.
        let binding: Binding<Int> = $launches
        let member: Binding<Bool> = $appearance.isDark
        let _: (String?, Int, String?, Int, Bool) = (
            nickname, counted, named, binding.wrappedValue, member.wrappedValue
        )
        EmptyView()
    }

    mutating func updateAll() {
        _launches.update()
        _nickname.update()
        _counted.update()
        _named.update()
        _appearance.update()
    }
}

struct PlainView: View {
    @KVStorage<Int> var value: Int

    init(key: KVDefaultKey<Int>, store: ReactiveKVStore) {
        _value = KVStorage(key, store: store)
    }

    var body: some View { EmptyView() }

    mutating func updateAll() {
        _value.update()
    }
}

/// Renders what `body` reads, and says through `onChange` that it is to be rendered again.
@MainActor
func render<Result>(
    _ place: StandInPlace,
    _ environment: EnvironmentValues,
    onChange: @escaping @Sendable () -> Void = {},
    body: (SettingsView) -> Result
) -> Result {
    place.render(SettingsView(), in: environment) {
        $0.updateAll()
    } body: { view in
        withObservationTracking({ body(view) }, onChange: onChange)
    }
}

final class Counter: @unchecked Sendable {
    var count = 0
}

@MainActor
func useViews() throws {
    let store = ReactiveKVStore(InMemoryKVStore())
    var environment = EnvironmentValues()
    environment.kvStore = store
    let place = StandInPlace()
    let changes = Counter()

    check(render(place, environment) { $0.launches } == 7, "The default is read.")
    let first = render(place, environment, onChange: { changes.count += 1 }) { $0.launches }
    try store.set(KVKey<Int>("launches"), value: 8)
    check(first == 7 && changes.count == 1, "A change from elsewhere renders the view again.")
    check(render(place, environment) { $0.launches } == 8, "The new value is read.")

    let binding = render(place, environment, onChange: { changes.count += 1 }) { $0.$launches }
    binding.wrappedValue = 9
    check(changes.count == 2, "A body that makes a binding is told of changes.")
    check(binding.wrappedValue == 9 && store.get(KVKey<Int>("launches")) == 9, "It is written.")
    render(place, environment) {
        $0.launches += 1
        $0.nickname = "Ada"
        $0.$appearance.isDark.wrappedValue = true
        $0.named = "Grace"
    }
    check(store.get(KVKey<Int>("launches")) == 10, "A change in place is written.")
    check(store.get(KVKey<String>("nickname")) == "Ada", "An optional is written.")
    check(store.get(KVKey<Appearance>("appearance"))?.isDark == true, "A member is written.")
    check(store.get(name) == "Grace", "A key for an optional type is written.")

    let errors = Counter()
    try store.setStoredValue(["newer": true], for: "appearance")
    KVStoreError.withHandler({ _ in errors.count += 1 }) {
        render(place, environment) { $0.$appearance.isDark.wrappedValue = true }
        render(place, environment) { $0.appearance.isDark = true }
    }
    let kept = try store.storedValue(for: "appearance")
    check(kept == ["newer": true] && errors.count == 2, "What cannot be read is kept.")

    let other = ReactiveKVStore(InMemoryKVStore())
    environment.kvStore = other
    check(render(place, environment) { $0.launches } == 7, "A new environment is a new store.")
    KVStoreError.withHandler({ _ in errors.count += 1 }) {
        render(place, EnvironmentValues()) { $0.launches = 3 }
    }
    check(errors.count == 3, "A write without a store is reported.")
    check(render(place, EnvironmentValues()) { $0.launches } == 7, "Nothing kept it.")

    // Outside of views neither state nor environment is there to be read.
    @KVStorage("launches", store: store) var local = 0
    local += 1
    check(local == 11, "A local property reads and writes.")
    $local.wrappedValue = 12
    check(local == 12, "So does its binding.")

    let bound = store.binding(count)
    bound.wrappedValue += 1
    store.binding(name).wrappedValue = nil
    check(store.get(count) == 1 && !store.contains(name), "A store gives bindings.")

    let plain = StandInPlace()
    try store.set(KVKey<Int>("a"), value: 3)
    let keys = [KVDefaultKey("a", default: 1), KVDefaultKey("b", default: 2)]
    let values = keys.map { key in
        plain.render(PlainView(key: key, store: store), in: environment) {
            $0.updateAll()
        } body: {
            $0.value
        }
    }
    check(values == [3, 2], "A view reads the key and the store that it was last given.")
}

// MARK: Settings

extension KVKeys {
    var fontSize: KVDefaultKey<Double> { KVDefaultKey("fontSize", default: 16) }
    var title: KVKey<String?> { KVKey("title") }
}

@MainActor final class Settings: KVSettings {
    let store: ReactiveKVStore
    init(store: any KVStoring) { self.store = ReactiveKVStore(store) }

    @KVStored("appearance") var appearance = Appearance()
    @KVStored("launchCount") var launchCount = 0
    @KVStored("nickname") var nickname: String?
}

struct BoundView: View {
    @Bindable var settings: Settings
    @KVStorage(\.fontSize) var fontSize
    @KVStorage(\.title) var title

    var body: some View {
        let _: (Binding<Bool>, Double, String?) = ($settings.appearance.isDark, fontSize, title)
        Stepper("Launches", value: $settings.launchCount)
    }
}

@MainActor
func useSettings() throws {
    let store = InMemoryKVStore()
    let settings = Settings(store: store)
    let view = BoundView(settings: settings)
    let changes = Counter()
    let launches = withObservationTracking({ view.$settings.launchCount }) { changes.count += 1 }
    _ = withObservationTracking({ launches.wrappedValue }) { changes.count += 1 }
    launches.wrappedValue += 1
    check(settings.launchCount == 1 && changes.count == 1, "A binding is tracked and sets.")
    view.$settings.appearance.isDark.wrappedValue = true
    check(settings.appearance.isDark, "A binding to a member sets it.")

    let errors = Counter()
    try store.setStoredValue(["newer": true], for: "appearance")
    KVStoreError.withHandler({ _ in errors.count += 1 }) {
        view.$settings.appearance.isDark.wrappedValue = true
        settings.appearance.isDark = true
        settings.$appearance.binding.isDark.wrappedValue = true
    }
    let kept = store.storedValue(for: "appearance")
    check(kept == ["newer": true] && errors.count == 3, "What cannot be read is kept.")
    settings.appearance = Appearance(isDark: true)
    check(settings.appearance.isDark, "A plain assignment replaces it.")

    let names = Recorder<String?>()
    settings.$nickname.publisher.subscribe(names)
    names.subscription?.request(.unlimited)
    settings.$nickname.binding.wrappedValue = "Ada"
    check(names.inputs == [nil, "Ada"], "A handle gives a publisher and a binding.")
}

@main
struct Usage {
    @MainActor
    static func main() throws {
        try usePublishers()
        try useViews()
        try useSettings()
        print("Apple surfaces: as documented, over stand-ins")
    }
}
