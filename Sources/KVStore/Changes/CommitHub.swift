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
        ///
        /// Indirect to keep the sinks of streams small.
        indirect case handler(@Sendable (Delivery) -> Void)

        /// The mailbox, if it goes into one.
        var mailbox: Mailbox<Delivery>? {
            switch self {
            case .mailbox(let mailbox), .tap(let mailbox): mailbox
            case .handler: nil
            }
        }

        fileprivate func finish() {
            mailbox?.finish(discarding: false)
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
        /// Values whose last reference may be this one: releasing them may run code of the program.
        fileprivate var displaced: [PropertyListValue] = []

        private var reports: [KVStoreError] = []

        package init() {}

        /// Has an error reported once the lock is released: the handler is the program's.
        package mutating func report(_ error: KVStoreError) {
            reports.append(error)
        }

        package consuming func perform() {
            for report in reports { KVStoreError.report(report) }
            for wakeup in wakeups { wakeup.perform() }
            for call in calls { call.handler(call.delivery) }
        }
    }

    /// One subscription, as its domain knows it, and what to deregister it by.
    ///
    /// Unchecked because its variables are used by the hub alone, which its domain guards.
    package final class Registration: @unchecked Sendable {
        fileprivate let following: Following
        fileprivate let handle: HandleID
        let sink: Sink
        /// The newest values, of a subscription to several names.
        fileprivate var values: [PropertyListValue?]
        fileprivate var lastSequence: UInt64 = 0

        fileprivate init(
            _ following: Following,
            values: [PropertyListValue?],
            handle: HandleID,
            sink: Sink
        ) {
            self.following = following
            self.values = values
            self.handle = handle
            self.sink = sink
        }

        fileprivate func take(_ change: KVCommit.Change, effects: inout Effects) {
            guard case .names(let names) = following else { return }
            for index in names.indices where names[index] == change.name {
                // A medium that gives a new tree with each read leaves the old one to this array.
                if let old = values[index], old.mayHoldData { effects.displaced.append(old) }
                values[index] = change.new
            }
        }
    }

    /// What a subscription follows.
    fileprivate enum Following {
        case everything
        case name(String)
        case names([String])
        /// Everything, from the values of some names on.
        case tap([String])

        /// Whether the newest values are kept beside the registration.
        var keepsValues: Bool {
            if case .names = self { return true }
            return false
        }
    }

    /// The number of the last commit.
    package private(set) var sequence: UInt64 = 0
    /// How many subscriptions there are.
    package private(set) var subscriptionCount = 0
    private var byName: [String: Followers] = [:]
    private var followingAll: Set<Registration> = []

    package init() {}

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
    ) -> Registration {
        let following: Following
        if case .tap = sink {
            following = .tap(names ?? [])
        } else if let names, let name = names.first, names.count == 1 {
            following = .name(name)
        } else {
            following = names.map(Following.names) ?? .everything
        }
        let registration = Registration(
            following,
            values: following.keepsValues ? values : [],
            handle: handle,
            sink: sink
        )
        subscriptionCount += 1
        switch following {
        case .everything: followingAll.insert(registration)
        case .name(let name): insert(registration, for: name)
        case .names(let names): for name in names { insert(registration, for: name) }
        case .tap(let names):
            followingAll.insert(registration)
            for name in names { insert(registration, for: name) }
        }
        if initial, let mailbox = sink.mailbox {
            // Nobody can be waiting on a mailbox that was not handed out yet.
            _ = mailbox.send(Delivery(values: values, commit: nil, sequence: sequence))
        }
        return registration
    }

    private mutating func insert(_ registration: Registration, for name: String) {
        if let index = byName.index(forKey: name) {
            byName.values[index].insert(registration)
        } else {
            byName[name] = .one(registration)
        }
    }

    /// Removes a subscription; the caller keeps it until it has unlocked.
    ///
    /// - Returns: Whether it was still there.
    package mutating func deregister(_ registration: Registration) -> Bool {
        let wasThere: Bool
        switch registration.following {
        case .everything: wasThere = followingAll.remove(registration) != nil
        case .name(let name): wasThere = remove(registration, for: name)
        case .names(let names):
            // A name that comes twice is found once.
            wasThere = names.reduce(false) { remove(registration, for: $1) || $0 }
        case .tap(let names):
            for name in names { _ = remove(registration, for: name) }
            wasThere = followingAll.remove(registration) != nil
        }
        if wasThere { subscriptionCount -= 1 }
        return wasThere
    }

    private mutating func remove(_ registration: Registration, for name: String) -> Bool {
        guard let index = byName.index(forKey: name) else { return false }
        guard byName.values[index] != .one(registration) else {
            byName.remove(at: index)
            return true
        }
        return byName.values[index].remove(registration)
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
        if subscriptionCount == 0 || (followingAll.isEmpty && byName[name] == nil) {
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
        guard subscriptionCount > 0 else { return }
        // First every registration takes in all its changes, then each gets one delivery.
        var touched: [(registration: Registration, new: PropertyListValue?)] = []
        for change in changes {
            byName[change.name]?.visit { registration in
                registration.take(change, effects: &effects)
                guard registration.lastSequence < sequence else { return }
                registration.lastSequence = sequence
                touched.append((registration, change.new))
            }
        }
        for registration in followingAll where registration.lastSequence < sequence {
            touched.append((registration, nil))
        }
        for (registration, new) in touched {
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
            var values = registration.values
            if case .name = registration.following { values = [new] }
            registration.sink.send(
                Delivery(values: values, commit: commit, sequence: sequence),
                effects: &effects
            )
        }
    }

    /// Ends every subscription: the domain is gone.
    package func finish() {
        for followers in byName.values { followers.visit { $0.sink.finish() } }
        for registration in followingAll { registration.sink.finish() }
    }
}

extension CommitHub.Registration: Hashable {
    package static func == (a: CommitHub.Registration, b: CommitHub.Registration) -> Bool {
        a === b
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The subscriptions to one name, of which there is mostly one.
private enum Followers: Equatable {
    case one(CommitHub.Registration)
    case several(Set<CommitHub.Registration>)

    mutating func insert(_ registration: CommitHub.Registration) {
        switch self {
        case .one(let other): self = .several([other, registration])
        case .several(var several):
            self = .one(registration)  // Leaves the set to be changed in place.
            several.insert(registration)
            self = .several(several)
        }
    }

    /// Removes one of several; the last one is the caller's to remove.
    mutating func remove(_ registration: CommitHub.Registration) -> Bool {
        guard case .several(var several) = self else { return false }
        self = .one(registration)  // As above.
        let wasThere = several.remove(registration) != nil
        self = several.count == 1 ? several.first.map(Followers.one) ?? self : .several(several)
        return wasThere
    }

    func visit(_ body: (CommitHub.Registration) -> Void) {
        switch self {
        case .one(let registration): body(registration)
        case .several(let registrations): for registration in registrations { body(registration) }
        }
    }
}

extension PropertyListValue {
    /// Whether releasing the value may run code of the program: `Data` has deallocators.
    fileprivate var mayHoldData: Bool {
        switch self {
        case .data, .array, .dictionary: true
        case .bool, .integer, .unsignedInteger, .real, .string, .date: false
        }
    }
}
