import Foundation
import KVStore
import Synchronization

/// A backend of one's own: a text file with one line a key, each the JSON text of name and value.
///
/// It shows what a medium has to do, and no more: it trusts that no other process writes the file.
/// `BackendKVStore(LineFileBackend(path:))` makes a complete store of it.
package final class LineFileBackend: KVBackend {
    private let url: URL
    private let values: Mutex<[String: PropertyListValue]>

    package init(path: String) throws {
        url = URL(filePath: path)
        var values: [String: PropertyListValue] = [:]
        if FileManager.default.fileExists(atPath: path) {
            for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
                let entry = try PropertyListValue(jsonText: String(line))
                guard case .array(let pair) = entry, pair.count == 2,
                    case .string(let name) = pair[0]
                else {
                    throw KVStoreError(.corrupt, reason: "A line is not a pair.", file: path)
                }
                values[name] = pair[1]
            }
        }
        self.values = Mutex(values)
    }

    package func read(_ name: String) -> PropertyListValue? {
        values.withLock { $0[name] }
    }

    package func readAll() -> [String: PropertyListValue] {
        values.withLock { $0 }
    }

    package func commit(
        expecting: KVExpectation,
        changes: [String: PropertyListValue?]
    ) throws -> Bool {
        try values.withLock { values in
            guard expecting.isMet(by: values) else { return false }
            var changed = values
            for (name, value) in changes { changed[name] = value }
            if changed != values { try write(changed) }
            values = changed
            return true
        }
    }

    package func flush() {}

    private func write(_ values: [String: PropertyListValue]) throws {
        let lines = values.sorted { $0.key < $1.key }.map { name, value in
            PropertyListValue.array([.string(name), value]).jsonText + "\n"
        }
        do {
            try Data(lines.joined().utf8).write(to: url, options: .atomic)
        } catch {
            throw KVStoreError(
                .unwritable,
                reason: "The file keeps what it held.",
                file: url.path(percentEncoded: false),
                underlyingError: error
            )
        }
    }
}
