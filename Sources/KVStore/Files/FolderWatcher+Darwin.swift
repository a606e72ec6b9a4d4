#if canImport(Darwin)
import Darwin
import Dispatch
import Synchronization

/// Watches folders with Dispatch's file-system sources.
///
/// A folder's source tells when names come and go, which covers files that are replaced; a source
/// for each named file tells when one is written in place. All are made anew after each event,
/// since the files may be others by then. Where the folder is missing, the nearest folder above it
/// is watched until it appears.
final class FolderWatching: Sendable {
    static let shared = FolderWatching()

    private struct Watched {
        let target: FolderWatcher.Target
        var sources: [RunningSource] = []
    }

    private let queue = DispatchQueue(label: "KVStore.FolderWatching")
    private let state = Mutex<[ObjectIdentifier: Watched]>([:])

    func start(_ target: FolderWatcher.Target) {
        state.withLock { $0[ObjectIdentifier(target)] = Watched(target: target) }
        place(ObjectIdentifier(target))
    }

    func stop(_ target: FolderWatcher.Target) {
        let watched = state.withLock { $0.removeValue(forKey: ObjectIdentifier(target)) }
        for source in watched?.sources ?? [] { source.cancel() }
    }

    private func place(_ id: ObjectIdentifier) {
        guard let target = state.withLock({ $0[id]?.target }) else { return }
        var sources: [RunningSource] = []
        var folder = target.folder
        while true {
            if let source = source(at: folder, for: id) {
                sources.append(source)
                break
            }
            guard folder != "/" else { break }
            folder = PosixFileSystem.folder(of: folder)
        }
        for name in target.names {
            if let source = source(at: target.folder + "/" + name, for: id) {
                sources.append(source)
            }
        }
        let unused = state.withLock { watched in
            guard let old = watched[id]?.sources else { return sources }
            watched[id]?.sources = sources
            return old
        }
        for source in unused { source.cancel() }
    }

    private func source(
        at path: String,
        for id: ObjectIdentifier
    ) -> RunningSource? {
        let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor,
            eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke],
            queue: queue
        )
        source.setEventHandler { [weak self] in self?.handleEvent(of: id) }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        return RunningSource(source)
    }

    private func handleEvent(of id: ObjectIdentifier) {
        // First the new sources, then the look, so that nothing falls in between.
        place(id)
        state.withLock({ $0[id]?.target })?.notify()
    }
}
#endif
