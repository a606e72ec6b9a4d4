import Foundation

/// The inside of what `NSKeyedArchiver` makes: objects that refer to each other by number.
///
/// It is looked at without an unarchiver, because Foundation on Linux ends the process on an archive
/// of another class than the expected one, on a circle of references and on one out of range.
struct KeyedArchive {
    /// The objects, in which a reference is a dictionary with ``referenceKey``.
    private let objects: [Any]
    /// The number of the outermost object.
    private let root: Int

    /// The key of a dictionary that stands for a reference to an object.
    ///
    /// A reference has a type that Foundation keeps to itself. In XML it is a dictionary with one
    /// key, which is given this name there.
    private static let referenceKey = "kvstore.reference"

    /// The deepest nesting of objects that is read.
    private static let maximumDepth = 128

    /// Reads an archive; nil if the data is none.
    init?(_ data: Data) {
        guard !Self.holdsSet(Array(data)) else { return nil }
        do {
            // The pointer, to where the format would be written, is nil.
            let list = try unsafe PropertyListSerialization.propertyList(
                from: data,
                options: [],
                format: nil
            )
            let text = String(
                decoding: try PropertyListSerialization.data(
                    fromPropertyList: list,
                    format: .xml,
                    options: 0
                ),
                as: UTF8.self
            )
            // A text or key with this in it has it escaped.
            let named = text.replacingOccurrences(
                of: "<key>CF$UID</key>",
                with: "<key>\(Self.referenceKey)</key>"
            )
            let archive = try unsafe PropertyListSerialization.propertyList(
                from: Data(named.utf8),
                options: [],
                format: nil
            )
            guard let archive = archive as? [String: Any],
                let objects = archive["$objects"] as? [Any],
                let top = archive["$top"] as? [String: Any],
                let root = Self.reference(top[NSKeyedArchiveRootObjectKey])
            else { return nil }
            self.objects = objects
            self.root = root
        } catch {
            return nil
        }
    }

    /// Whether a binary property list has a set in it, which no archiver writes and which Foundation
    /// on Linux ends the process over.
    ///
    /// The list ends with the size of an offset, the count of objects and the position of the table
    /// of their offsets; the first byte of an object tells its kind.
    private static func holdsSet(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: "bplist".utf8), bytes.count >= 40 else { return false }
        func number(at position: Int, size: Int) -> Int? {
            guard position >= 0, size <= 8, position <= bytes.count - size else { return nil }
            let value = bytes[position..<(position + size)].reduce(0 as UInt64) {
                $0 << 8 | UInt64($1)
            }
            return Int(exactly: value)
        }
        let trailer = bytes.count - 32
        let size = Int(bytes[trailer + 6])
        guard let count = number(at: trailer + 8, size: 8),
            let table = number(at: trailer + 24, size: 8),
            count <= bytes.count, table <= bytes.count
        else { return false }
        return (0..<count).contains { index in
            guard let offset = number(at: table + index * size, size: size),
                bytes.indices.contains(offset)
            else { return false }
            return bytes[offset] >> 4 == 0xC || bytes[offset] >> 4 == 0xB
        }
    }

    /// The URL that is archived; nil for anything else.
    var url: URL? {
        guard let parts = object(root), className(of: parts) == "NSURL",
            let relative = text(parts["NS.relative"])
        else { return nil }
        guard let base = object(Self.reference(parts["NS.base"])) else {
            return URL(string: relative)
        }
        // A base is absolute and has none itself, so this does not follow a chain.
        return text(base["NS.relative"]).flatMap { URL(string: $0) }
            .flatMap { URL(string: relative, relativeTo: $0) }
    }

    /// Whether an unarchiver can be let loose on it: the outermost object is of a class, all are of
    /// classes that decode securely, and the references lead to objects and in no circle.
    func isSound<Object: NSObject>(as type: Object.Type) -> Bool {
        guard let object = object(root), let name = className(of: object),
            NSClassFromString(name) is Object.Type
        else { return false }
        var walk = Walk()
        return isSoundObject(root, &walk, depth: 0)
    }

    /// Which objects were looked at, and which are being looked at.
    private struct Walk {
        var done: Set<Int> = []
        var open: Set<Int> = []
    }

    private func isSoundObject(_ number: Int, _ walk: inout Walk, depth: Int) -> Bool {
        guard objects.indices.contains(number), depth < Self.maximumDepth else { return false }
        if walk.done.contains(number) { return true }
        guard walk.open.insert(number).inserted else { return false }
        defer { walk.open.remove(number) }
        if let object = objects[number] as? [String: Any] {
            guard let name = className(of: object), Self.decodesSecurely(name),
                // Foundation on Linux pairs the two without counting.
                (object["NS.keys"] as? [Any])?.count ?? count(object) == count(object)
            else { return false }
        }
        guard isSound(objects[number], &walk, depth: depth) else { return false }
        walk.done.insert(number)
        return true
    }

    private func isSound(_ value: Any, _ walk: inout Walk, depth: Int) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        if let number = Self.reference(value) {
            return isSoundObject(number, &walk, depth: depth + 1)
        }
        switch value {
        case let elements as [Any]:
            return elements.allSatisfy { isSound($0, &walk, depth: depth + 1) }
        case let entries as [String: Any]:
            return entries.allSatisfy { key, value in
                key == "$class" || isSound(value, &walk, depth: depth + 1)
            }
        default: return true
        }
    }

    private func count(_ object: [String: Any]) -> Int {
        (object["NS.objects"] as? [Any])?.count ?? 0
    }

    private static func decodesSecurely(_ name: String) -> Bool {
        (NSClassFromString(name) as? any NSSecureCoding.Type)?.supportsSecureCoding ?? false
    }

    private func object(_ number: Int?) -> [String: Any]? {
        guard let number, objects.indices.contains(number) else { return nil }
        return objects[number] as? [String: Any]
    }

    private func text(_ value: Any?) -> String? {
        guard let number = Self.reference(value), objects.indices.contains(number) else {
            return value as? String
        }
        return objects[number] as? String
    }

    private func className(of object: [String: Any]) -> String? {
        guard let description = self.object(Self.reference(object["$class"])),
            description["$classhints"] == nil
        else { return nil }
        return description["$classname"] as? String
    }

    private static func reference(_ value: Any?) -> Int? {
        guard let entries = value as? [String: Any], entries.count == 1 else { return nil }
        return entries[referenceKey] as? Int
    }
}
