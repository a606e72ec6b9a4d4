import KVStore
import Synchronization

/// Collects the errors that a handler is given.
final class Errors: Sendable {
    private let errors = Mutex<[KVStoreError]>([])

    var all: [KVStoreError] { errors.withLock { $0 } }

    @Sendable func append(_ error: any Error) {
        if let error = error as? KVStoreError { errors.withLock { $0.append(error) } }
    }
}
