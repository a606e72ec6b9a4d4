import Dispatch
import Synchronization

/// Tells when files in a folder change, whoever changes them.
///
/// The handler is called some time after a change to one of the named files, once for several
/// changes in quick succession, on a queue of the watcher's own and never twice at once. It is a
/// hint to look: it comes too when nothing that matters changed, and the folder may be missing,
/// come back, or be another one by then. A watcher made while the folder is missing calls when the
/// folder appears.
///
/// A change made after the initialiser has returned is not missed, so look once then.
package final class FolderWatcher: Sendable {
    private let target: Target
    private let isCancelled = Atomic<Bool>(false)

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder, without links.
    ///   - names: The names of the files that matter.
    ///   - handler: Called after changes, until the watcher is cancelled or released.
    package init(
        _ folder: String,
        names: Set<String>,
        handler: @escaping @Sendable () -> Void
    ) {
        target = Target(folder: folder, names: names, handler: handler)
        FolderWatching.shared.start(target)
    }

    deinit {
        cancel()
    }

    /// Stops watching; a call of the handler that has begun runs to its end.
    package func cancel() {
        guard !isCancelled.exchange(true, ordering: .relaxed) else { return }
        target.cancel()
        FolderWatching.shared.stop(target)
    }

    /// What one watcher watches and calls.
    final class Target: Sendable {
        let folder: String
        let names: Set<String>
        private let handler: @Sendable () -> Void
        private let queue = DispatchQueue(label: "KVStore.FolderWatcher")
        private let isPending = Atomic<Bool>(false)
        private let isCancelled = Atomic<Bool>(false)

        init(folder: String, names: Set<String>, handler: @escaping @Sendable () -> Void) {
            self.folder = folder
            self.names = names
            self.handler = handler
        }

        func cancel() {
            isCancelled.store(true, ordering: .relaxed)
        }

        /// Has the handler called, unless a call is due already.
        func notify() {
            guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
            queue.async {
                // Before the handler looks, so that a change during it brings another call.
                self.isPending.store(false, ordering: .sequentiallyConsistent)
                if !self.isCancelled.load(ordering: .relaxed) { self.handler() }
            }
        }
    }
}

/// A running dispatch source, to be cancelled from any thread.
///
/// Unchecked, because the protocol does not say that it is `Sendable`; Dispatch documents that its
/// objects may be used from any thread.
struct RunningSource: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    init(_ source: any DispatchSourceProtocol) {
        self.source = source
    }

    func cancel() {
        source.cancel()
    }
}
