import Dispatch
import KVStore

extension KVContractRule {
    static let subscriptionRules: [KVContractRule] = [
        cancellingEnds, releasingIsCancelling, cancellingNeverBlocks, everySubscriptionGetsAll,
        subscriptionsEndWithTheStore, impossibleKeysAreAbsent, subscribingInsideABody,
    ]

    private static let key = KVKey<Int>("key")

    package static let cancellingEnds = waiting(
        "cancelling ends a subscription, twice as well as once",
        "A wait for the next delivery ends with nil, and later ones do at once."
    ) { trial in
        let store = try trial.makeStore()
        let observer = try trial.observe(["key"], of: store)
        let other = try trial.observe(["key"], of: store)
        _ = try await observer.next("the present value")
        let isWaiting = Flag()
        let subscription = observer.subscription
        let wait = Task {
            isWaiting.set()
            return await subscription.next() == nil
        }
        while !isWaiting.isSet { await Task.yield() }
        subscription.cancel()
        try await trial.expect(wait.value, "a wait to end with nil", found: "a delivery")
        subscription.cancel()
        try store.set(key, value: 1)
        try await observer.expectEnd("nil from a cancelled subscription")
        try await observer.expectEnd("nil from a cancelled subscription, again")
        _ = try await other.next("the present value")
        let delivery = try await other.next("the change")
        try trial.expect(delivery.values, equals: [1], "the value for the subscription beside")
    }

    package static let releasingIsCancelling = waiting(
        "subscriptions may be dropped without being read",
        "Thousands that were opened and dropped leave the store as it was."
    ) { trial in
        let store = try trial.makeStore()
        for round in 0..<2000 {
            let names: [String]? = round.isMultiple(of: 3) ? nil : ["key", "\(round)"]
            let observer = try trial.observe(names, of: store, initial: round.isMultiple(of: 2))
            if round.isMultiple(of: 100) { try store.set(key, value: round) }
            if round.isMultiple(of: 5) { observer.subscription.cancel() }
        }
        let values = try await trial.values(of: "key", in: store) { try $0.set(key, value: -1) }
        try trial.expect(values, equals: [1900, -1], "the values delivered")
    }

    package static let cancellingNeverBlocks = waiting(
        "subscribing and cancelling while others write never blocks",
        "Under full load for as long as the soak lasts, each cancelled wait ends."
    ) { trial in
        let store = try trial.makeStore()
        let feed = try trial.feed(of: store)
        let end = ContinuousClock.now + trial.soak
        let writers = trial.startThreads(2) { index in
            var round = 0
            while ContinuousClock.now < end {
                round += 1
                try store.set(key, value: round)
                if round.isMultiple(of: 7) { try store.remove(key) }
                if index == 0, round.isMultiple(of: 5) {
                    try store.transaction { try $0.set(KVKey<Int>("other"), value: round) }
                }
            }
        }
        let subscribers = trial.startThreads(4) { index in
            var round = 0
            while ContinuousClock.now < end {
                round += 1
                let subscription = feed.subscribe(
                    to: index == 0 ? nil : ["key", "other"],
                    initial: round.isMultiple(of: 2),
                    bufferingPolicy: index == 1 ? .bufferingNewest(1) : .unbounded
                )
                let ended = DispatchSemaphore(value: 0)
                Task {
                    while await subscription.next() != nil {}
                    ended.signal()
                }
                for _ in 0..<(round % 200) { _ = store.get(key) }
                subscription.cancel()
                guard case .success = ended.wait(timeout: .now() + trial.patience.seconds) else {
                    throw trial.violation(expected: "a cancelled wait to end", found: "it goes on")
                }
            }
        }
        try await writers.join(times: 2)
        try await subscribers.join(times: 2)
    }

    package static let everySubscriptionGetsAll = waiting(
        "each subscription gets every change",
        "Two to the same key do not take deliveries from each other."
    ) { trial in
        let store = try trial.makeStore()
        let observers = try (0..<3).map { _ in try trial.observe(["key"], of: store) }
        for value in 1...5 { try store.set(key, value: value) }
        for observer in observers {
            for expected in [nil, 1, 2, 3, 4, 5] as [PropertyListValue?] {
                let delivery = try await observer.next("a delivery")
                try trial.expect(delivery.values, equals: [expected], "the value delivered")
            }
        }
    }

    package static let subscriptionsEndWithTheStore = waiting(
        "subscriptions end when the store goes",
        "What was delivered before can still be taken, and a feed does not keep the store."
    ) { trial in
        let observers = try observersOfReleasedStore(trial)
        for observer in observers {
            let delivery = try await observer.next("what was delivered before")
            try trial.expect(delivery.commit?.names, equals: ["key"], "the commit delivered")
            try await observer.expectEnd("the end, as the store is gone")
        }
    }

    package static let impossibleKeysAreAbsent = waiting(
        "a subscription to a name that no backend can hold finds it absent",
        "It is made at once, also for a name that takes seconds to hash, and delivers no change."
    ) { trial in
        let store = try trial.makeStore()
        let names = invalidNames + [endlessName, "key"]
        try trial.expectQuick {
            let subscription = try trial.observe([endlessName], of: store).subscription
            try store.set(key, value: 0)
            subscription.cancel()
        }
        let observer = try trial.observe(names, of: store)
        try store.set(key, value: 1)
        let absent = [PropertyListValue?](repeating: nil, count: names.count - 1)
        for expected in [0, 1] as [PropertyListValue?] {
            let delivery = try await observer.next("a delivery")
            try trial.expect(delivery.values, equals: absent + [expected], "the values")
        }
    }

    package static let subscribingInsideABody = waiting(
        "a subscription made inside a body sees what is stored",
        "Its first value is not the transaction's own; that follows with the commit."
    ) { trial in
        let store = try trial.makeStore()
        try store.set(key, value: 1)
        let observer = try store.transaction { transaction in
            try transaction.set(key, value: 2)
            return try trial.observe(["key"], of: store)
        }
        for expected in [1, 2] as [PropertyListValue] {
            let delivery = try await observer.next("the value \(expected)")
            try trial.expect(delivery.values, equals: [expected], "the value delivered")
        }
    }

    /// Returns subscriptions to a store whose last reference goes with the return.
    private static func observersOfReleasedStore(_ trial: Trial) throws -> [Observer] {
        let store = try trial.makeStore()
        let observers = [
            try trial.observe(["key"], of: store, initial: false),
            try trial.observe(nil, of: store, initial: false),
        ]
        try store.set(key, value: 1)
        return observers
    }
}
