import KVStore

/// One check of one rule: makes stores, waits within bounds, and says what is not as expected.
struct Trial: Sendable {
    /// What is being checked.
    struct Subject: Sendable {
        /// Whether the closure of a domain may be called more than once.
        let isReopenable: Bool
        let makeDomain: @Sendable () throws -> @Sendable () throws -> any KVStoring
    }

    /// An error of the code that makes stores, which says nothing about the rule.
    struct FactoryFailure: Error {
        let error: any Error
    }

    /// A place for values, over which stores are opened.
    struct Domain: Sendable {
        fileprivate let openStore: @Sendable () throws -> any KVStoring

        func open() throws -> any KVStoring {
            do {
                return try openStore()
            } catch {
                throw FactoryFailure(error: error)
            }
        }
    }

    let rule: String
    let subject: Subject
    /// How long to look for races by load alone.
    let soak: Duration
    /// How long to wait for what must come, counted from the last step that the check got on.
    let patience: Duration
    /// How many bytes of UTF-8 the stores take in the name of a key.
    let nameLength: Int
    let progress = Progress()

    /// Returns a new, empty store.
    func makeStore() throws -> any KVStoring {
        do {
            return try subject.makeDomain()()
        } catch {
            throw FactoryFailure(error: error)
        }
    }

    /// Returns a new, empty place over which several stores can be opened.
    func makeDomain() throws -> Domain {
        guard subject.isReopenable else {
            throw violation(
                expected: "check(overDomains:), because the rule opens several stores",
                found: "check(_:), each of whose stores has values of its own"
            )
        }
        do {
            return try Domain(openStore: subject.makeDomain())
        } catch {
            throw FactoryFailure(error: error)
        }
    }

    /// Returns the feed of a store that must have one.
    func feed(of store: any KVStoring) throws -> any KVFeed {
        guard let feed = store.feed else {
            throw violation(expected: "a feed, as the store is said to observe", found: "nil")
        }
        return feed
    }
}

extension Trial {
    func violation(expected: String, found: String) -> KVContractViolation {
        KVContractViolation(rule: rule, expected: expected, found: found)
    }

    /// Checks that something is so.
    func expect(
        _ condition: Bool,
        _ expected: @autoclosure () -> String,
        found: @autoclosure () -> String = "otherwise"
    ) throws {
        guard condition else { throw violation(expected: expected(), found: found()) }
    }

    /// Checks that two things are equal.
    func expect<Value: Equatable>(
        _ found: Value,
        equals expected: Value,
        _ what: @autoclosure () -> String
    ) throws {
        guard found == expected else {
            throw violation(
                expected: "\(what()) to be \(shown(expected))",
                found: shown(found)
            )
        }
    }

    /// Checks that a body throws an error that a test accepts.
    func expectError(
        _ expected: @autoclosure () -> String,
        of body: () throws -> Void,
        where accepts: (any Error) -> Bool
    ) throws {
        do {
            try body()
        } catch let violation as KVContractViolation {
            throw violation
        } catch {
            guard accepts(error) else {
                throw violation(expected: expected(), found: "the error \(shown(error))")
            }
            return
        }
        throw violation(expected: expected(), found: "no error")
    }

    /// Checks that a body throws an error of the store with the given code.
    func expectError(
        _ code: KVStoreError.Code,
        _ what: @autoclosure () -> String,
        of body: () throws -> Void
    ) throws {
        try expectError("\(what()) to throw \(code)", of: body) {
            ($0 as? KVStoreError)?.code == code
        }
    }

    private func shown(_ value: some Any) -> String {
        let text = String(describing: value)
        return text.utf8.count <= 600 ? text : text.prefix(600) + "…"
    }
}
