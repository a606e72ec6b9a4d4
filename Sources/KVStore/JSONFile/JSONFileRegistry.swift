import Synchronization

/// The domains of JSON files in this process, one for each file.
///
/// The file is told by its path with all links followed. A domain lasts as long as a store holds it.
package enum JSONFileRegistry {
    private struct Entry: Sendable {
        weak let domain: JSONFileDomain?
    }

    private static let entries = Mutex<[String: Entry]>([:])

    /// Returns the domain of a file, making it if no store has it open.
    package static func domain(at path: String) throws(SystemError) -> JSONFileDomain {
        let system = PosixFileSystem()
        let resolved = try system.resolve(path)
        let new = JSONFileDomain(JSONFileEngine(path: resolved, on: system))
        return entries.withLock { entries in
            if let domain = entries[resolved]?.domain { return domain }
            entries = entries.filter { $0.value.domain != nil }
            entries[resolved] = Entry(domain: new)
            return new
        }
    }
}
