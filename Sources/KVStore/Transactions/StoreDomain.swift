/// What is stored in one place, shared by every store object over it in this process.
///
/// The engine runs transactions against it, and stores are thin handles on it. A domain serialises
/// its commits, publishes each of them in order, and refuses writes from inside its own bodies.
package protocol StoreDomain: SubscriptionHost {
    /// Whose turn it is, and which threads are inside a body.
    var turns: TurnQueue { get }

    /// Returns the value of a name, for a name of legal length.
    func storedValue(for name: String) throws -> PropertyListValue?

    /// Returns the domain's own values.
    func storedValues() throws -> [String: PropertyListValue]

    /// Returns what a read gives for a name that is not among the domain's own values.
    ///
    /// Nil but on media that have a layer beneath, as `UserDefaults` has its registered defaults.
    func valueBehindAbsence(of name: String) throws -> PropertyListValue?

    /// Commits and publishes a draft if its expectation is met, and returns whether it was.
    ///
    /// Names and values of the draft have been checked.
    func commit(_ draft: KVTransaction.Draft, by handle: HandleID) throws -> Bool

    /// Registers a subscription together with the present values.
    func subscribe(
        _ sink: CommitHub.Sink,
        to names: [String]?,
        initial: Bool,
        by handle: HandleID
    ) -> KVSubscription
}

/// The feed of a domain, seen from one of its handles.
package struct DomainFeed: TappableFeed {
    private let domain: any StoreDomain
    private let handle: HandleID

    package init(_ domain: any StoreDomain, handle: HandleID) {
        self.domain = domain
        self.handle = handle
    }

    package func subscribe(
        to names: [String]?,
        initial: Bool,
        bufferingPolicy: AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy
    ) -> KVSubscription {
        domain.subscribe(
            .mailbox(Mailbox(policy: bufferingPolicy)),
            to: possible(names),
            initial: initial,
            by: handle
        )
    }

    package func observe(
        _ names: [String]?,
        handler: @escaping @Sendable (KVSubscription.Delivery) -> Void
    ) -> KVSubscription {
        domain.subscribe(.handler(handler), to: possible(names), initial: false, by: handle)
    }

    package func tap(_ names: [String]) -> KVSubscription {
        domain.subscribe(
            .tap(Mailbox(policy: .unbounded)),
            to: possible(names),
            initial: true,
            by: handle
        )
    }

    /// Returns names with those that no store can hold replaced.
    private func possible(_ names: [String]?) -> [String]? {
        names?.map(KeyName.possible)
    }
}
