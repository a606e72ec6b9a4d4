#if canImport(Darwin)
import Foundation
import KVStore
import Synchronization

#if canImport(notify)
import notify
#endif

/// Tells when others may have changed a domain on Apple platforms.
///
/// There are three sources, of which none is enough. `didChangeNotification` tells of writes in this
/// process. Key-Value Observing tells of a key that other processes wrote too, if the key is no key
/// path. A notice of our own, which every commit posts, tells of the other keys. What changed is
/// found by comparison, so a source may tell too much.
///
/// Sound as `Sendable`: `UserDefaults` may be used from any thread, and all else is constant or
/// behind a lock.
final class DomainObserver: NSObject, @unchecked Sendable {
    private let defaults: UserDefaults
    private let notices: NoticeGatherer
    private let keys = Mutex(ObservedKeys())
    private let changes: any NSObjectProtocol
    private let token: Int32

    private static let noToken: Int32 = -1

    /// Begins to observe; nil where the domain has no defaults.
    init?(_ suite: SuiteName, handler: @escaping @Sendable () -> Void) {
        let name: String? = if case .suite(let name) = suite { name } else { nil }
        guard let defaults = UserDefaults(suiteName: name) else { return nil }
        self.defaults = defaults
        let notices = NoticeGatherer(handler)
        self.notices = notices
        changes = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification,
            object: nil,
            queue: nil
        ) { _ in notices.note() }
        var token = Self.noToken
        // Fails where the system has no room for another; the two other sources are left then.
        _ = unsafe notify_register_dispatch(suite.noticeName, &token, .global()) { _ in
            notices.note()
        }
        self.token = token
        super.init()
    }

    /// Tells other processes of a commit.
    static func announce(_ suite: SuiteName) {
        _ = unsafe notify_post(suite.noticeName)
    }

    /// Observes keys, as far as they can be.
    func follow(_ names: [String]) {
        for key in keys.withLock({ $0.add(names) }) {
            unsafe defaults.addObserver(self, forKeyPath: key, options: [], context: nil)
        }
    }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        notices.note()
    }

    deinit {
        for key in keys.withLock({ $0.all }) { defaults.removeObserver(self, forKeyPath: key) }
        NotificationCenter.default.removeObserver(changes)
        if token != Self.noToken { notify_cancel(token) }
    }
}
#endif
