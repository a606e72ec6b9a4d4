/// Who is told of which commits: the part of a domain's state that observation needs.
///
/// It is a value inside the state that its domain guards with one lock, so that registering,
/// taking the first values and inserting a commit are each one step. Nothing here calls out; what
/// has to happen without the lock comes back as ``Effects``.
package struct CommitHub {
    package typealias Delivery = KVSubscription.Delivery

    /// Where the deliveries of a subscription go.
    package enum Sink: Sendable {
        /// Into a mailbox, in the order of commits.
        case mailbox(Mailbox<Delivery>)
        /// Into a mailbox, every commit, whatever names the first values are of.
        case tap(Mailbox<Delivery>)
        /// To a handler, on the thread of each writer once it has unlocked.
        case handler(@Sendable (Delivery) -> Void)

        /// The mailbox, if it goes into one.
        var mailbox: Mailbox<Delivery>? {
            switch self {
            case .mailbox(let mailbox), .tap(let mailbox): mailbox
            case .handler: nil
            }
        }

        /// Whether commits to other names than those of the subscription go into it too.
        fileprivate var takesAll: Bool {
            if case .tap = self { return true }
            return false
        }

        /// Hands a delivery over, as far as that can be done under the lock.
        fileprivate func send(_ delivery: Delivery, effects: inout Effects) {
            switch self {
            case .mailbox(let mailbox), .tap(let mailbox):
                if let wakeup = mailbox.send(delivery) { effects.wakeups.append(wakeup) }
            case .handler(let handler):
                effects.calls.append((handler, delivery))
            }
        }
    }

    /// What to do once the lock is released.
    package struct Effects {
        fileprivate var wakeups: [Mailbox<Delivery>.Wakeup] = []
        fileprivate var calls: [(handler: @Sendable (Delivery) -> Void, delivery: Delivery)] = []

        package init() {}

        package consuming func perform() {
            for wakeup in wakeups { wakeup.perform() }
            for call in calls { call.handler(call.delivery) }
        }
    }

    /// One subscription, as its domain knows it.
    private final class Registration {
        let names: [String]
        let handle: HandleID
        let sink: Sink
        var values: [PropertyListValue?]
        var lastSequence: UInt64 = 0

        init(names: [String], values: [PropertyListValue?], handle: HandleID, sink: Sink) {
            self.names = names
            self.values = values
            self.handle = handle
            self.sink = sink
        }

        func take(_ change: KVCommit.Change) {
            for index in names.indices where names[index] == change.name {
                values[index] = change.new
            }
        }
    }

    /// The number of the last commit.
    package private(set) var sequence: UInt64 = 0
    private var lastID: UInt64 = 0
    private var registrations: [UInt64: Registration] = [:]
    private var byName: [String: Set<UInt64>] = [:]
    private var followingAll: Set<UInt64> = []

    package init() {}

    /// How many subscriptions there are.
    package var subscriptionCount: Int { registrations.count }

    /// The mailboxes of the subscriptions.
    var mailboxes: [Mailbox<Delivery>] { registrations.values.compactMap(\.sink.mailbox) }

    /// The names that some subscription follows.
    var followedNames: [String] { Array(byName.keys) }

    /// Registers a subscription and inserts its first delivery.
    ///
    /// - Returns: What to deregister it by.
    package mutating func register(
        _ sink: Sink,
        names: [String]?,
        values: [PropertyListValue?],
        initial: Bool,
        handle: HandleID
    ) -> UInt64 {
        lastID += 1
        let registration = Registration(
            names: names ?? [],
            values: values,
            handle: handle,
            sink: sink
        )
        registrations[lastID] = registration
        for name in registration.names { byName[name, default: []].insert(lastID) }
        if names == nil || sink.takesAll { followingAll.insert(lastID) }
        if initial, let mailbox = sink.mailbox {
            // Nobody can be waiting on a mailbox that was not handed out yet.
            _ = mailbox.send(Delivery(values: values, commit: nil, sequence: sequence))
        }
        return lastID
    }

    /// Removes a subscription; one that is gone already is no error.
    ///
    /// - Returns: What the caller must release after unlocking.
    package mutating func deregister(_ id: UInt64) -> AnyObject? {
        guard let registration = registrations.removeValue(forKey: id) else { return nil }
        for name in registration.names {
            byName[name]?.remove(id)
            if byName[name]?.isEmpty == true { byName[name] = nil }
        }
        followingAll.remove(id)
        return registration
    }

    /// Counts the commit of one key and inserts it into the mailboxes of those who follow it.
    ///
    /// - Returns: What to do after unlocking, or nil if nobody is there to be told.
    @inline(__always)
    package mutating func publish(
        name: String,
        old: PropertyListValue?,
        new: PropertyListValue?,
        by writer: HandleID
    ) -> Effects? {
        if registrations.isEmpty || (followingAll.isEmpty && byName[name] == nil) {
            sequence += 1
            return nil
        }
        var effects = Effects()
        publish([KVCommit.Change(name: name, old: old, new: new)], by: writer, effects: &effects)
        return effects
    }

    /// Counts a commit and inserts it into the mailboxes of those who follow one of its keys.
    ///
    /// - Parameters:
    ///   - changes: The keys whose values differ; not empty.
    ///   - writer: The handle that made the commit, or nil if it is not of this process.
    ///   - foreignOrigin: Who made the commit if it is not of this process.
    ///   - revision: The medium's own number.
    ///   - isMerged: Whether the commit sums up several.
    ///   - effects: Gets what to do after unlocking.
    package mutating func publish(
        _ changes: [KVCommit.Change],
        by writer: HandleID?,
        foreignOrigin: KVCommit.Origin = .anotherProcess,
        revision: UInt64? = nil,
        isMerged: Bool = false,
        effects: inout Effects
    ) {
        sequence += 1
        guard !registrations.isEmpty else { return }
        // First every registration takes in all its changes, then each gets one delivery.
        var touched: [Registration] = []
        for change in changes {
            for id in byName[change.name] ?? [] {
                guard let registration = registrations[id] else { continue }
                registration.take(change)
                if registration.lastSequence < sequence {
                    registration.lastSequence = sequence
                    touched.append(registration)
                }
            }
        }
        for id in followingAll {
            guard let registration = registrations[id], registration.lastSequence < sequence else {
                continue
            }
            touched.append(registration)
        }
        for registration in touched {
            let origin: KVCommit.Origin
            if let writer {
                origin = writer == registration.handle ? .thisStore : .anotherStore
            } else {
                origin = foreignOrigin
            }
            let commit = KVCommit(
                sequence: sequence,
                revision: revision,
                origin: origin,
                isMerged: isMerged,
                changes: changes
            )
            registration.sink.send(
                Delivery(values: registration.values, commit: commit, sequence: sequence),
                effects: &effects
            )
        }
    }

    /// Ends every subscription: the domain is gone.
    package func finish() {
        for mailbox in mailboxes { mailbox.finish(discarding: false) }
    }
}
