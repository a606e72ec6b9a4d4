import Foundation
import KVStore
import Synchronization

/// A disk in memory with the system's cache before it.
///
/// What is done to it is seen at once by all who have it open, and is lost with the power unless it
/// was synchronized: bytes with their file, names with their folder. Links are not known here.
final class MemoryDisk: Sendable {
    /// Something done to a file that is not on the disk yet.
    enum Change {
        case write([UInt8], at: Int)
        case resize(Int)
    }

    /// A file or a folder.
    struct Node {
        var status: FileStatus
        var bytes: [UInt8] = []
        var durableBytes: [UInt8] = []
        var changes: [Change] = []
        var page: PageMemory?
        var names: [String: UInt64] = [:]
        var durableNames: [String: UInt64] = [:]
        /// What was done to the names since, each a step of its own; nil for a name that went.
        var renamings: [[String: UInt64?]] = []

        mutating func apply(_ change: Change) {
            bytes.apply(change)
            changes.append(change)
            status.size = bytes.count
        }

        mutating func apply(_ renaming: [String: UInt64?]) {
            names.apply(renaming)
            renamings.append(renaming)
        }

        mutating func synchronize() {
            durableBytes = bytes
            changes = []
            durableNames = names
            renamings = []
        }
    }

    private struct Open {
        let node: UInt64
        let process: Int
        let isAppending: Bool
        var offset = 0
        var lock: Lock?
    }

    private enum Lock {
        case shared, exclusive
    }

    struct State {
        var nodes: [UInt64: Node] = [:]
        /// How often anything was changed or brought to the disk.
        private(set) var revision = 0
        private var files: [FileNumber: Open] = [:]
        private var clock = 1_000_000
        private var lastNumber: Int32 = 0
        private var lastNode: UInt64 = 0

        init() {
            _ = makeNode(.directory, mode: 0o700)
        }
    }

    static let root: UInt64 = 1

    let state: Mutex<State>

    init(_ state: State = State()) {
        self.state = Mutex(state)
    }

    /// Creates a disk with files on it.
    convenience init(files: [String: [UInt8]]) throws(SystemError) {
        var state = State()
        for (path, bytes) in files { try state.save(bytes, at: path, inPlace: true) }
        state.synchronizeAll()
        self.init(state)
    }

    /// What is in the files, by their paths.
    var contents: [String: [UInt8]] { snapshot().contents }

    /// Saves a file as an editor does that does not wait for the disk.
    func save(_ text: String, at path: String, inPlace: Bool = true) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.save(Array(text.utf8), at: path, inPlace: inPlace)
        }
    }

    /// The disk as it is now, without the processes that have it open.
    func snapshot() -> State {
        state.withLock { state in
            var copy = state
            copy.closeAll()
            return copy
        }
    }
}

/// The mapped page of a lock file.
@safe
final class PageMemory: @unchecked Sendable {
    // Only the number in it is used, which is atomic.
    private let start: UnsafeMutableRawPointer

    init(_ bytes: [UInt8]) {
        unsafe start = .allocate(byteCount: GenerationPage.fileSize, alignment: 16)
        for (offset, byte) in bytes.prefix(GenerationPage.fileSize).enumerated() {
            unsafe start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }

    deinit {
        unsafe start.deallocate()
    }

    var page: GenerationPage {
        unsafe GenerationPage(start: start) { withExtendedLifetime(self) {} }
    }
}

extension [UInt8] {
    mutating func apply(_ change: MemoryDisk.Change) {
        switch change {
        case .write(let new, let offset):
            if count < offset { self += [UInt8](repeating: 0, count: offset - count) }
            replaceSubrange(offset..<Swift.min(offset + new.count, count), with: new)
        case .resize(let size):
            if count > size { removeSubrange(size...) }
            if count < size { self += [UInt8](repeating: 0, count: size - count) }
        }
    }

    /// Puts a number at the place where lock files hold theirs.
    mutating func setGeneration(_ number: UInt64) {
        guard count >= GenerationPage.offset + 8 else { return }
        for index in 0..<8 {
            self[GenerationPage.offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
    }
}

extension [String: UInt64] {
    mutating func apply(_ renaming: [String: UInt64?]) {
        for (name, node) in renaming { self[name] = node }
    }
}

// MARK: Finding

extension MemoryDisk.State {
    /// Every file that a path leads to, by its path.
    var contents: [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        var rest = [("", MemoryDisk.root)]
        while let (path, number) = rest.popLast() {
            guard let node = nodes[number] else { continue }
            if node.status.kind == .file { result[path] = node.bytes }
            rest += node.names.map { (path + "/" + $0.key, $0.value) }
        }
        return result
    }

    private mutating func makeNode(_ kind: FileStatus.Kind, mode: UInt32) -> UInt64 {
        lastNode += 1
        let time = now()
        nodes[lastNode] = MemoryDisk.Node(
            status: FileStatus(
                kind: kind,
                device: 1,
                inode: lastNode,
                linkCount: 1,
                size: 0,
                mode: mode,
                owner: 0,
                group: 0,
                modified: time,
                changed: time
            )
        )
        return lastNode
    }

    /// The time goes on with every question, so nothing counts as having changed just now.
    mutating func now() -> FileStatus.Time {
        clock += 1
        return FileStatus.Time(seconds: clock, nanoseconds: 0)
    }

    func find(_ path: String, _ call: String) throws(SystemError) -> UInt64 {
        var number = MemoryDisk.root
        for name in path.split(separator: "/") {
            guard let next = nodes[number]?.names[String(name)] else {
                throw SystemError(ENOENT, call)
            }
            number = next
        }
        return number
    }

    /// The folder that a path is in, and the name there.
    private func place(
        _ path: String,
        _ call: String
    ) throws(SystemError) -> (folder: UInt64, name: String) {
        (try find(PosixFileSystem.folder(of: path), call), PosixFileSystem.name(of: path))
    }

    private func node(_ file: FileNumber, _ call: String) throws(SystemError) -> UInt64 {
        guard let file = files[file] else { throw SystemError(EBADF, call) }
        return file.node
    }

    private mutating func change(
        _ number: UInt64,
        isContent: Bool = false,
        _ body: (inout MemoryDisk.Node) -> Void
    ) {
        guard var node = nodes[number] else { return }
        nodes[number] = nil
        revision += 1
        body(&node)
        node.status.changed = now()
        if isContent { node.status.modified = node.status.changed }
        nodes[number] = node
    }
}

// MARK: Files

extension MemoryDisk.State {
    mutating func open(
        _ path: String,
        _ access: FileAccess,
        mode: UInt32,
        by process: Int
    ) throws(SystemError) -> FileNumber {
        let (folder, name) = try place(path, "open")
        let old = path == "/" ? MemoryDisk.root : nodes[folder]?.names[name]
        let number: UInt64
        switch access {
        case .createNew where old != nil: throw SystemError(EEXIST, "open")
        case .createNew:
            number = makeNode(.file, mode: mode)
            change(folder) { $0.apply([name: number]) }
        case .lock where old == nil:
            number = makeNode(.file, mode: mode)
            change(folder) { $0.apply([name: number]) }
        default:
            guard let old else { throw SystemError(ENOENT, "open") }
            number = old
        }
        lastNumber += 1
        let file = FileNumber(lastNumber)
        var isAppending = false
        if case .append = access { isAppending = true }
        files[file] = MemoryDisk.Open(node: number, process: process, isAppending: isAppending)
        return file
    }

    mutating func close(_ file: FileNumber) {
        files[file] = nil
    }

    /// Closes what a process has open, as its death does.
    mutating func closeAll(of process: Int) {
        files = files.filter { $0.value.process != process }
    }

    fileprivate mutating func closeAll() {
        files = [:]
        for (number, node) in nodes {
            guard let page = node.page else { continue }
            nodes[number]?.page = nil
            nodes[number]?.bytes.setGeneration(page.page.number)
        }
    }

    func read(_ file: FileNumber, from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        let bytes = nodes[try node(file, "read")]?.bytes ?? []
        return Array(bytes.dropFirst(offset).prefix(count))
    }

    mutating func write(
        _ bytes: ArraySlice<UInt8>,
        to file: FileNumber,
        at offset: Int?
    ) throws(SystemError) -> Int {
        let number = try node(file, "write")
        let end = nodes[number]?.bytes.count ?? 0
        let open = files[file]
        let start = offset ?? (open?.isAppending == true ? end : open?.offset ?? 0)
        change(number, isContent: true) { $0.apply(.write(Array(bytes), at: start)) }
        if offset == nil { files[file]?.offset = start + bytes.count }
        return bytes.count
    }

    mutating func truncate(_ file: FileNumber, to size: Int) throws(SystemError) {
        change(try node(file, "ftruncate"), isContent: true) { $0.apply(.resize(size)) }
    }

    mutating func synchronize(_ file: FileNumber) throws(SystemError) {
        nodes[try node(file, "fsync")]?.synchronize()
        revision += 1
    }

    mutating func map(_ file: FileNumber) throws(SystemError) -> GenerationPage {
        let number = try node(file, "mmap")
        let memory = nodes[number]?.page ?? PageMemory(nodes[number]?.bytes ?? [])
        nodes[number]?.page = memory
        return memory.page
    }

    func status(of file: FileNumber) throws(SystemError) -> FileStatus {
        guard let status = nodes[try node(file, "fstat")]?.status else {
            throw SystemError(EBADF, "fstat")
        }
        return status
    }

    func status(at path: String) throws(SystemError) -> FileStatus {
        guard let status = nodes[try find(path, "stat")]?.status else {
            throw SystemError(ENOENT, "stat")
        }
        return status
    }

    mutating func setMode(of file: FileNumber, to mode: UInt32) throws(SystemError) {
        change(try node(file, "fchmod")) { $0.status.mode = mode }
    }

    mutating func setOwner(
        of file: FileNumber,
        to owner: UInt32,
        group: UInt32
    ) throws(SystemError) {
        change(try node(file, "fchown")) {
            $0.status.owner = owner
            $0.status.group = group
        }
    }

    mutating func lock(_ file: FileNumber, isExclusive: Bool) throws(SystemError) -> Bool {
        let number = try node(file, "flock")
        let isFree = files.allSatisfy { other, open in
            other == file || open.node != number || open.lock == nil
                || open.lock == .shared && !isExclusive
        }
        if isFree { files[file]?.lock = isExclusive ? .exclusive : .shared }
        return isFree
    }

    mutating func unlock(_ file: FileNumber) {
        files[file]?.lock = nil
    }
}

// MARK: Names

extension MemoryDisk.State {
    mutating func rename(_ path: String, to target: String) throws(SystemError) {
        let number = try find(path, "rename")
        let (folder, new) = try place(target, "rename")
        let replaced = nodes[folder]?.names[new]
        let old = PosixFileSystem.name(of: path)
        change(folder) { $0.apply([old: nil, new: number]) }
        change(number) { _ in }
        if let replaced, replaced != number { change(replaced) { $0.status.linkCount -= 1 } }
    }

    mutating func exchange(_ path: String, with other: String) throws(SystemError) {
        let (first, second) = (try find(path, "rename"), try find(other, "rename"))
        let (folder, name) = try place(path, "rename")
        let otherName = PosixFileSystem.name(of: other)
        change(folder) { $0.apply([name: second, otherName: first]) }
        change(first) { _ in }
        change(second) { _ in }
    }

    mutating func link(_ path: String, to target: String) throws(SystemError) {
        let number = try find(path, "link")
        let (folder, name) = try place(target, "link")
        guard nodes[folder]?.names[name] == nil else { throw SystemError(EEXIST, "link") }
        change(folder) { $0.apply([name: number]) }
        change(number) { $0.status.linkCount += 1 }
    }

    mutating func remove(_ path: String) throws(SystemError) {
        let number = try find(path, "unlink")
        let (folder, name) = try place(path, "unlink")
        change(folder) { $0.apply([name: nil]) }
        change(number) { $0.status.linkCount -= 1 }
    }

    /// Saves a file as an editor does that does not wait for the disk.
    mutating func save(_ bytes: [UInt8], at path: String, inPlace: Bool) throws(SystemError) {
        let temporary = inPlace ? path : path + "~"
        let file = try open(temporary, .lock, mode: 0o600, by: 0)
        try truncate(file, to: 0)
        _ = try write(bytes[...], to: file, at: 0)
        close(file)
        if !inPlace { try rename(temporary, to: path) }
    }

    /// Brings everything to the disk.
    mutating func synchronizeAll() {
        for number in nodes.keys { nodes[number]?.synchronize() }
    }

    mutating func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) {
        let (folder, name) = try place(path, "mkdir")
        guard nodes[folder]?.names[name] == nil else { throw SystemError(EEXIST, "mkdir") }
        let number = makeNode(.directory, mode: mode)
        change(folder) { $0.apply([name: number]) }
    }
}
