import Synchronization

/// The commits of a view: those of its layers as they look through it, with numbers of their own.
///
/// The hub taps the feed of each layer while there are subscriptions. Layers put their commits into
/// the mailboxes of the taps in their order and signal when they have unlocked; whoever is signalled
/// takes what is there and publishes what changes in the view. A tap starts with the values of some
/// names at a known number, which is how a new subscription gets values and commits that fit
/// together: each joins with fresh taps, and while one joins, nobody else takes from the old ones.
///
/// The lock of the hub is taken inside no other but those of mailboxes are taken inside it.
/// The hub lives on as long as it has taps, which is as long as there are subscriptions. It keeps no
/// store, so that a store can go and end them.
final class ViewHub: SubscriptionHost {
    private typealias Delivery = KVSubscription.Delivery

    /// What is known of one layer.
    private struct Layer {
        var tap: KVSubscription?
        /// The number of the layer's commit up to which it was followed.
        var position: UInt64 = 0
        /// All values of the layer by name, while there are several layers and subscriptions.
        var known: [String: PropertyListValue] = [:]
    }

    private struct State {
        var hub = CommitHub()
        var layers: [Layer]
        var joining = 0
    }

    /// A fresh tap on a layer and the values it starts with, by the names of the view.
    private struct Joint {
        var tap: KVSubscription?
        var position: UInt64 = 0
        var values: [String: PropertyListValue?] = [:]
    }

    /// What is left to do, and to release, once the lock is.
    private struct Leftovers {
        var effects = CommitHub.Effects()
        var ended: CommitHub?
        var released: [KVSubscription] = []
        var taken: [Delivery] = []
        var displaced: [PropertyListValue] = []

        consuming func perform() {
            effects.perform()
            ended?.finish()
        }
    }

    private let prefix: String
    /// The index of the layer that is written.
    private let written: Int
    private let isLayered: Bool
    private let state: Mutex<State>

    init(prefix: String, layerCount: Int, written: Int) {
        self.prefix = prefix
        self.written = written
        isLayered = layerCount > 1
        state = Mutex(State(layers: Array(repeating: Layer(), count: layerCount)))
    }

    /// Registers a subscription together with the present values.
    func subscribe(
        _ sink: CommitHub.Sink,
        to names: [String]?,
        initial: Bool,
        over layers: [any KVStoring]
    ) -> KVSubscription {
        let names = names?.map(KeyName.possible)
        let mustList = state.withLock { state in
            state.joining += 1
            return isLayered && state.layers[written].tap == nil
        }
        // No lock is held here: tapping may wait for a writer, and read files.
        var joints = layers.map { joint(with: $0, names: names ?? [], listing: mustList) }
        var leftovers = Leftovers()
        let registration = state.withLock { state in
            for index in joints.indices {
                install(&joints[index], at: index, in: &state, &leftovers)
            }
            let values = (names ?? []).map { name in
                isLayered
                    ? effectiveValue(of: name, in: state)
                    : joints[0].values[name] ?? nil
            }
            let registration = state.hub.register(
                sink,
                names: names,
                values: values,
                initial: initial,
                handle: HandleID()
            )
            state.joining -= 1
            if state.joining == 0 { takeAll(in: &state, &leftovers) }
            return registration
        }
        leftovers.perform()
        return KVSubscription(registration, with: self)
    }

    func deregister(_ registration: CommitHub.Registration) {
        let released = state.withLock { state in
            var released: [AnyObject?] = []
            _ = state.hub.deregister(registration)
            if state.hub.subscriptionCount == 0, state.joining == 0 {
                for index in state.layers.indices {
                    released.append(state.layers[index].tap)
                    released.append(Box(state.layers[index].known))
                    state.layers[index] = Layer()
                }
            }
            return released
        }
        _ = released  // Released here, outside the lock.
    }

    // MARK: Joining

    private func joint(with layer: any KVStoring, names: [String], listing: Bool) -> Joint {
        var joint = Joint()
        var asked = names
        KVStoreError.reporting {
            if listing { asked += try layer.storedValues().keys }
        }
        let feed = layer.feed as? any TappableFeed
        guard let feed else {
            // A layer that does not observe counts as one that does not change.
            KVStoreError.reporting {
                for name in asked {
                    try joint.values.updateValue(layer.storedValue(for: name), forKey: name)
                }
            }
            return joint
        }
        let tap = feed.tap(asked.map { StoreView.baseName(of: $0, prefix: prefix) ?? "" })
        // Strong on purpose: subscriptions keep the hub through its taps, which go with the last.
        tap.setSignal { self.take() }
        joint.tap = tap
        guard case .element(let first) = tap.take() else { return joint }
        joint.position = first.sequence
        for (name, value) in zip(asked, first.values) {
            joint.values.updateValue(value, forKey: name)
        }
        return joint
    }

    /// Makes a fresh tap the one that is followed, or brings its values up to where the present one
    /// was followed to.
    private func install(
        _ joint: inout Joint,
        at index: Int,
        in state: inout State,
        _ leftovers: inout Leftovers
    ) {
        if let tap = state.layers[index].tap, let fresh = joint.tap {
            if joint.position >= state.layers[index].position {
                // The old tap has every commit up to the position: they were made before the fresh
                // one was registered. Later ones are in both.
                while case .element(let delivery) = tap.take() {
                    leftovers.taken.append(delivery)
                    guard delivery.sequence <= joint.position else { break }
                    publish(delivery, of: index, in: &state, &leftovers)
                }
                leftovers.released.append(tap)
                state.layers[index].tap = fresh
                state.layers[index].position = joint.position
            } else {
                // The present position is where another fresh tap was registered, so this one has
                // every commit up to it.
                while case .element(let delivery) = fresh.take() {
                    leftovers.taken.append(delivery)
                    guard delivery.sequence <= state.layers[index].position else { break }
                    for change in delivery.commit?.changes ?? [] {
                        let name = StoreView.name(ofBase: change.name, prefix: prefix)
                        guard let name, let old = joint.values[name] else { continue }
                        if let old { leftovers.displaced.append(old) }
                        joint.values.updateValue(change.new, forKey: name)
                    }
                }
                leftovers.released.append(fresh)
            }
        } else if let fresh = joint.tap {
            state.layers[index].tap = fresh
            state.layers[index].position = joint.position
        }
        guard isLayered else { return }
        for (name, value) in joint.values { know(value, of: name, at: index, &state, &leftovers) }
    }

    // MARK: Following

    /// Takes what the layers delivered, unless somebody joins, who will.
    private func take() {
        var leftovers = Leftovers()
        state.withLock { state in
            if state.joining == 0 { takeAll(in: &state, &leftovers) }
        }
        leftovers.perform()
    }

    private func takeAll(in state: inout State, _ leftovers: inout Leftovers) {
        for index in state.layers.indices {
            taking: while let tap = state.layers[index].tap {
                switch tap.take() {
                case .element(let delivery):
                    leftovers.taken.append(delivery)
                    publish(delivery, of: index, in: &state, &leftovers)
                    state.layers[index].position = delivery.sequence
                case .empty:
                    break taking
                case .ended:
                    leftovers.released.append(tap)
                    state.layers[index].tap = nil
                    if index == written { leftovers.ended = state.hub }
                }
            }
        }
    }

    /// Publishes what a commit of a layer changes in the view.
    private func publish(
        _ delivery: Delivery,
        of index: Int,
        in state: inout State,
        _ leftovers: inout Leftovers
    ) {
        guard let commit = delivery.commit else { return }
        var changes: [KVCommit.Change] = []
        for change in commit.changes {
            guard let name = StoreView.name(ofBase: change.name, prefix: prefix) else { continue }
            var old = change.old
            var new = change.new
            if isLayered {
                know(old, of: name, at: index, &state, &leftovers)
                old = effectiveValue(of: name, in: state)
                know(new, of: name, at: index, &state, &leftovers)
                new = effectiveValue(of: name, in: state)
                if old == new { continue }
            }
            changes.append(KVCommit.Change(name: name, old: old, new: new))
        }
        guard !changes.isEmpty else { return }
        state.hub.publish(
            changes,
            by: nil,
            foreignOrigin: commit.origin,
            revision: index == written ? commit.revision : nil,
            isMerged: commit.isMerged,
            effects: &leftovers.effects
        )
    }

    private func know(
        _ value: PropertyListValue?,
        of name: String,
        at index: Int,
        _ state: inout State,
        _ leftovers: inout Leftovers
    ) {
        let displaced: PropertyListValue?
        if let value {
            displaced = state.layers[index].known.updateValue(value, forKey: name)
        } else {
            displaced = state.layers[index].known.removeValue(forKey: name)
        }
        if let displaced { leftovers.displaced.append(displaced) }
    }

    private func effectiveValue(of name: String, in state: State) -> PropertyListValue? {
        for layer in state.layers {
            if let value = layer.known[name] { return value }
        }
        return nil
    }
}

/// Values that are to be released outside a lock.
private final class Box {
    let values: [String: PropertyListValue]

    init(_ values: [String: PropertyListValue]) {
        self.values = values
    }
}
