#if canImport(Glibc) || canImport(Musl)
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Watches folders with one inotify descriptor for the whole process.
///
/// The system allows a user 128 of them by default. The descriptor is open while there is anything
/// to watch. A folder's watch reports all files in it by name, also those that are replaced. Where
/// the folder is missing, the nearest folder above it is watched until it appears. Where there are
/// no watches to be had, handlers are called every ``pollingInterval``.
final class FolderWatching: Sendable {
    static let shared = FolderWatching()

    /// How often to call handlers of what cannot be watched.
    private static let pollingInterval = DispatchTimeInterval.milliseconds(200)

    private static let events = UInt32(
        IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO
            | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    )

    /// An open inotify descriptor, closed once its source can no longer be reading it.
    private struct Channel: Sendable {
        let descriptor: Int32
        let source: RunningSource
    }

    private struct Watched {
        let target: FolderWatcher.Target
        /// The number of its watch; nil if it is polled.
        var watch: Int32?
        /// Whether the watch is on the folder itself, not on one above it.
        var isExact: Bool
    }

    private struct State {
        var channel: Channel?
        var timer: RunningSource?
        var watched: [ObjectIdentifier: Watched] = [:]
        /// Who shares each watch: the system gives one folder one number.
        var users: [Int32: Set<ObjectIdentifier>] = [:]
        var hasReported = false
    }

    private let queue = DispatchQueue(label: "KVStore.FolderWatching")
    private let state = Mutex(State())

    func start(_ target: FolderWatcher.Target) {
        let failure: SystemError? = state.withLock { state in
            var failure: SystemError?
            if state.channel == nil {
                do throws(SystemError) {
                    state.channel = try openChannel()
                } catch {
                    failure = error
                }
            }
            let id = ObjectIdentifier(target)
            state.watched[id] = Watched(target: target, watch: nil, isExact: false)
            failure = place(id, in: &state) ?? failure
            guard failure != nil, !state.hasReported else { return nil }
            state.hasReported = true
            return failure
        }
        if let failure {
            KVStoreError.report(
                KVStoreError(
                    .unreadable,
                    reason: "\(failure). Changes by other processes are looked for in intervals.",
                    file: target.folder,
                    underlyingError: failure
                )
            )
        }
    }

    func stop(_ target: FolderWatcher.Target) {
        state.withLock { state in
            let id = ObjectIdentifier(target)
            release(id, in: &state)
            state.watched[id] = nil
            updateTimer(in: &state)
            guard state.watched.isEmpty else { return }
            state.channel?.source.cancel()
            state.channel = nil
        }
    }

    // MARK: Watches

    private func openChannel() throws(SystemError) -> Channel {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(errno, "inotify_init1") }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read(from: descriptor) }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        return Channel(descriptor: descriptor, source: RunningSource(source))
    }

    /// Puts a target's watch on its folder, or as near above it as there is one.
    ///
    /// - Returns: Why it has to be polled, if it has.
    private func place(_ id: ObjectIdentifier, in state: inout State) -> SystemError? {
        defer { updateTimer(in: &state) }
        guard let target = state.watched[id]?.target else { return nil }
        var folder = target.folder
        var missing: String?
        while true {
            guard let channel = state.channel else {
                release(id, in: &state)
                return nil
            }
            let watch = unsafe inotify_add_watch(channel.descriptor, folder, Self.events)
            if watch >= 0 {
                if state.watched[id]?.watch != watch {
                    release(id, in: &state)
                    state.users[watch, default: []].insert(id)
                    state.watched[id]?.watch = watch
                }
                state.watched[id]?.isExact = missing == nil
                // Made before there was a watch above it, a folder would not be noticed.
                guard let next = missing, unsafe access(next, F_OK) == 0 else { return nil }
                folder = target.folder
                missing = nil
                continue
            }
            let code = errno
            guard [ENOENT, ENOTDIR, EACCES].contains(code), folder != "/" else {
                release(id, in: &state)
                return SystemError(code, "inotify_add_watch")
            }
            missing = folder
            folder = PosixFileSystem.folder(of: folder)
        }
    }

    private func release(_ id: ObjectIdentifier, in state: inout State) {
        guard let watch = state.watched[id]?.watch else { return }
        state.watched[id]?.watch = nil
        state.users[watch]?.remove(id)
        guard state.users[watch]?.isEmpty == true else { return }
        state.users[watch] = nil
        if let channel = state.channel { inotify_rm_watch(channel.descriptor, watch) }
    }

    // MARK: Events

    private func read(from descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                // The call writes at most as many bytes as it is told.
                unsafe readBytes(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            handle(buffer[..<count])
        }
    }

    /// Takes apart what the system wrote: a header of 16 bytes and a name for each event.
    private func handle(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while rest.count >= 16 {
            let watch = Int32(bitPattern: Self.word(rest, at: 0))
            let mask = Self.word(rest, at: 4)
            let length = min(Int(Self.word(rest, at: 12)), rest.count - 16)
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            handle(watch, mask, String(decoding: name, as: UTF8.self))
            rest = rest.dropFirst(16 + length)
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        var word: UInt32 = 0
        for byte in bytes.dropFirst(offset).prefix(4).reversed() { word = word << 8 | UInt32(byte) }
        return word
    }

    private func handle(_ watch: Int32, _ mask: UInt32, _ name: String) {
        let hasLostEvents = mask & UInt32(IN_Q_OVERFLOW) != 0
        let isGone =
            mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0
        let targets: [FolderWatcher.Target] = state.withLock { state in
            let ids = hasLostEvents ? Set(state.watched.keys) : state.users[watch] ?? []
            var targets: [FolderWatcher.Target] = []
            for id in ids {
                guard let watched = state.watched[id] else { continue }
                if isGone || hasLostEvents || !watched.isExact {
                    // The system may give the number away again, or the folder has moved.
                    if isGone { release(id, in: &state) }
                    _ = place(id, in: &state)
                    targets.append(watched.target)
                } else if watched.target.names.contains(name) {
                    targets.append(watched.target)
                }
            }
            return targets
        }
        for target in targets { target.notify() }
    }

    // MARK: Polling

    private func updateTimer(in state: inout State) {
        let isNeeded = state.watched.values.contains { $0.watch == nil }
        if isNeeded, state.timer == nil {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + Self.pollingInterval, repeating: Self.pollingInterval)
            timer.setEventHandler { [weak self] in self?.poll() }
            timer.resume()
            state.timer = RunningSource(timer)
        } else if !isNeeded, let timer = state.timer {
            timer.cancel()
            state.timer = nil
        }
    }

    private func poll() {
        let targets = state.withLock { state in
            state.watched.values.filter { $0.watch == nil }.map(\.target)
        }
        for target in targets { target.notify() }
    }
}

// The method above hides the function of the same name.
private func readBytes(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(number, bytes, count)
}
#endif
