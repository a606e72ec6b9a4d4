import Dispatch
import KVStore
import Synchronization

// What the observation of a domain on Apple platforms decides, apart from the calls it makes.

/// Which keys Key-Value Observing can take, and which of them it has taken.
package struct ObservedKeys: Sendable {
    private var keys: Set<String> = []

    package init() {}

    /// The keys that are observed.
    package var all: Set<String> { keys }

    /// Adds keys, and returns those that are to be observed from now on.
    ///
    /// Key-Value Observing takes a key for a path: a dot separates two keys, and `@` names an
    /// operator. The changes of such keys come with the notices of the whole domain.
    package mutating func add(_ names: [String]) -> [String] {
        names.filter { name in
            let isPath = name.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }
            return KeyName.isValid(name) && !isPath && keys.insert(name).inserted
        }
    }
}

/// Makes one call of many notices that come together.
///
/// Notices come key by key, on the thread of the writer and while it holds locks, so the call is
/// made elsewhere, one at a time. A notice that comes before the call has begun is answered by it.
package final class NoticeGatherer: Sendable {
    private let queue = DispatchQueue(label: "kvstore.notices")
    private let isWaiting = Atomic(false)
    private let handler: @Sendable () -> Void

    package init(_ handler: @escaping @Sendable () -> Void) {
        self.handler = handler
    }

    /// Has the handler called soon.
    package func note() {
        if isWaiting.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async { [weak self] in
            guard let self else { return }
            isWaiting.store(false, ordering: .releasing)
            handler()
        }
    }
}

extension SuiteName {
    /// The name under which processes tell each other of commits to the domain.
    var noticeName: String { "kvstore.userdefaults." + fileName }
}
