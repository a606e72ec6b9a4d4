package import KVStore
import Synchronization

/// The smallest backend: a dictionary, which outlives the stores over it.
package final class DictionaryBackend: KVBackend {
    private let values = Mutex<[String: PropertyListValue]>([:])

    package init() {}

    package func read(_ name: String) -> PropertyListValue? {
        values.withLock { $0[name] }
    }

    package func readAll() -> [String: PropertyListValue] {
        values.withLock { $0 }
    }

    package func commit(expecting: KVExpectation, changes: [String: PropertyListValue?]) -> Bool {
        values.withLock { values in
            guard expecting.isMet(by: values) else { return false }
            for (name, value) in changes { values[name] = value }
            return true
        }
    }

    package func flush() {}
}
