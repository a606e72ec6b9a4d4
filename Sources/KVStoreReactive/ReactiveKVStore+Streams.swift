public import KVStore

extension ReactiveKVStore {
    /// Returns a stream of a key's value: what it is now, then what it becomes.
    ///
    /// ```swift
    /// for await size in store.stream(Keys.fontSize, bufferingPolicy: .bufferingNewest(1)) {
    ///     label.fontSize = size
    /// }
    /// ```
    ///
    /// The first element is the value at the call of this method; after it comes each change, in
    /// the order of commits, without a gap or a repeat. Writing an equal value is no change. When
    /// an element says that the value is x, a read gives x or something newer. A value that cannot
    /// be read gives the key's fallback and does not end the stream.
    ///
    /// Each call makes a stream of its own, for one consumer: elements of one stream that is shared
    /// by several are split among them. Values are decoded by the consumer's task, and no writer
    /// waits for it.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - initial: Whether the first element is the present value.
    ///   - bufferingPolicy: What to keep while the consumer is busy. A user interface does best
    ///     with `.bufferingNewest(1)`.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    @_disfavoredOverload  // For a key of an optional type, the one below.
    public nonisolated func stream<Key: KVKeyProtocol>(
        _ key: Key,
        initial: Bool = true,
        bufferingPolicy: AsyncStream<Key.Reading>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Key.Reading> {
        deliveries(of: [key.name], initial: initial, policy: bufferingPolicy) { delivery in
            reading(of: key, from: delivery.values.first ?? nil)
        }
    }

    /// Returns a stream of the value of a key for an optional type.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - initial: Whether the first element is the present value.
    ///   - bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    public nonisolated func stream<Wrapped>(
        _ key: KVKey<Wrapped?>,
        initial: Bool = true,
        bufferingPolicy: AsyncStream<Wrapped?>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Wrapped?> {
        deliveries(of: [key.name], initial: initial, policy: bufferingPolicy) { delivery in
            let reading: Wrapped? = reading(of: key, from: delivery.values.first ?? nil) ?? nil
            return reading
        }
    }

    /// Returns a stream of the newest values of several keys, one element a commit.
    ///
    /// ```swift
    /// for await (theme, size) in store.stream(Keys.theme, Keys.fontSize) { … }
    /// ```
    ///
    /// However many of the keys a commit changes, it gives one element, with the values of all keys
    /// as they are after that commit.
    ///
    /// - Parameters:
    ///   - first: A key to follow.
    ///   - second: Another one.
    ///   - others: More keys. A `KVKey` for an optional type reads as a doubled optional here, of
    ///     which only the outer level is ever nil.
    ///   - initial: Whether the first element is the present values.
    ///   - bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    public nonisolated func stream<
        First: KVKeyProtocol,
        Second: KVKeyProtocol,
        each Other: KVKeyProtocol
    >(
        _ first: First,
        _ second: Second,
        _ others: repeat each Other,
        initial: Bool = true,
        bufferingPolicy: AsyncStream<(First.Reading, Second.Reading, repeat (each Other).Reading)>
            .Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<(First.Reading, Second.Reading, repeat (each Other).Reading)> {
        var names = [first.name, second.name]
        repeat names.append((each others).name)
        return deliveries(of: names, initial: initial, policy: bufferingPolicy) { delivery in
            var values = delivery.values.makeIterator()
            return (
                reading(of: first, from: values.next() ?? nil),
                reading(of: second, from: values.next() ?? nil),
                repeat reading(of: each others, from: values.next() ?? nil)
            )
        }
    }

    /// Returns a stream of a key's changes, each with its old and new value and its commit.
    ///
    /// There is no element for the present value. A new value that cannot be read is an element
    /// too, with its error.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    @_disfavoredOverload  // For a key of an optional type, the one below.
    public nonisolated func changes<Key: KVKeyProtocol>(
        _ key: Key,
        bufferingPolicy: AsyncStream<KVChange<Key.Reading>>.Continuation.BufferingPolicy =
            .unbounded
    ) -> AsyncStream<KVChange<Key.Reading>> {
        deliveries(of: [key.name], initial: false, policy: bufferingPolicy) { delivery in
            change(of: key, in: delivery) { $0 }
        }
    }

    /// Returns a stream of the changes of a key for an optional type.
    ///
    /// - Parameters:
    ///   - key: The key to follow.
    ///   - bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    public nonisolated func changes<Wrapped>(
        _ key: KVKey<Wrapped?>,
        bufferingPolicy: AsyncStream<KVChange<Wrapped?>>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<KVChange<Wrapped?>> {
        deliveries(of: [key.name], initial: false, policy: bufferingPolicy) { delivery in
            change(of: key, in: delivery) { $0 ?? nil }
        }
    }

    /// Returns a stream of every commit to the store's domain.
    ///
    /// - Parameter bufferingPolicy: What to keep while the consumer is busy.
    /// - Returns: A stream that ends with its consumer or with the last store over the domain.
    public nonisolated func changes(
        bufferingPolicy: AsyncStream<KVCommit>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<KVCommit> {
        deliveries(of: nil, initial: false, policy: bufferingPolicy) { $0.commit }
    }

    /// Subscribes, and returns the deliveries as a stream of what `read` makes of them.
    private nonisolated func deliveries<Element>(
        of names: [String]?,
        initial: Bool,
        policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        read: @escaping @Sendable (KVSubscription.Delivery) -> Element?
    ) -> AsyncStream<Element> {
        let subscription = observedFeed.subscribe(
            to: names,
            initial: initial,
            bufferingPolicy: rawPolicy(policy)
        )
        return AsyncStream {
            await subscription.next().flatMap(read)
        } onCancel: {
            subscription.cancel()
        }
    }
}

private func rawPolicy<Element>(
    _ policy: AsyncStream<Element>.Continuation.BufferingPolicy
) -> AsyncStream<KVSubscription.Delivery>.Continuation.BufferingPolicy {
    switch policy {
    case .unbounded: .unbounded
    case .bufferingNewest(let limit): .bufferingNewest(limit)
    case .bufferingOldest(let limit): .bufferingOldest(limit)
    @unknown default: .unbounded
    }
}

private func reading<Key: KVKeyProtocol>(
    of key: Key,
    from stored: PropertyListValue?
) -> Key.Reading {
    do {
        return try key.reading(stored)
    } catch {
        return key.fallback
    }
}

/// Returns the change that a delivery makes to the key it is a delivery of.
private func change<Key: KVKeyProtocol, Reading>(
    of key: Key,
    in delivery: KVSubscription.Delivery,
    as convert: (Key.Reading) -> Reading
) -> KVChange<Reading>? {
    guard let commit = delivery.commit, let change = commit.change(of: key.name) else { return nil }
    let old = reading(of: key, from: change.old)
    do {
        let new = try key.reading(change.new)
        return KVChange(old: convert(old), new: convert(new), newError: nil, commit: commit)
    } catch {
        return KVChange(
            old: convert(old),
            new: convert(key.fallback),
            newError: error as? DecodingError,
            commit: commit
        )
    }
}
