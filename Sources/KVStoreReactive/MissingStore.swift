package import KVStore

/// What stands for the store where a view's environment has none.
///
/// Reads find nothing and writes are refused with an error, rather than kept in memory until the
/// program ends.
package struct MissingStore: KVStoring {
    package init() {}

    package func storedValue(for name: String) throws -> PropertyListValue? {
        throw error(.unreadable, key: name)
    }

    package func storedValues() throws -> [String: PropertyListValue] {
        throw error(.unreadable)
    }

    package func setStoredValue(_ value: PropertyListValue?, for name: String) throws {
        throw error(.unwritable, key: name)
    }

    package func transaction<Result>(_ body: (KVTransaction) throws -> Result) throws -> Result {
        throw error(.unwritable)
    }

    package func flush() {}

    package var feed: (any KVFeed)? { nil }

    private func error(_ code: KVStoreError.Code, key: String? = nil) -> KVStoreError {
        KVStoreError(
            code,
            reason: "The environment of the view has no store, so nothing is read or stored. Give "
                + "it one with .environment(\\.kvStore, store), or name a store at the property.",
            key: key
        )
    }
}
