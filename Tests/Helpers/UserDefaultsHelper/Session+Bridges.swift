import Foundation
import KVStoreUserDefaults

// Values in the forms of Foundation, through bridges and as other code of a program reads them.

extension Session {
    func runBridged(
        _ command: String,
        suite: String,
        key: String,
        words: [PropertyListValue]
    ) throws -> [PropertyListValue]? {
        let bridged = KVKey<URL>(key, bridge: .url)
        let defaults = UserDefaults(suiteName: suite)
        let url = words.last?.text.flatMap { URL(string: $0) }
        switch command {
        case "setURL":
            if let url { try store(suite).set(bridged, value: url) }
            return []
        case "getURL": return Self.texts(of: try store(suite).value(for: bridged))
        case "rawSetURL":
            // Passed on as a URL that is there: for nil the call does not return.
            if let url { defaults?.set(url, forKey: key) }
            return []
        case "rawGetURL": return Self.texts(of: defaults?.url(forKey: key))
        case "damageArchives":
            return [.integer(Int64(try damageArchives(words.last?.number ?? 0)))]
        default: return nil
        }
    }

    private static func texts(of url: URL?) -> [PropertyListValue] {
        [PropertyListValue](optional: url.map { .string($0.absoluteString) })
    }

    /// Reads archives with bytes changed or missing, and returns how many it has read or refused.
    private func damageArchives(_ count: Int) throws -> Int {
        let archives = try [Palette(), NSUUID(), NSURL(fileURLWithPath: "/not/a")].map { object in
            try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        }
        let store = InMemoryKVStore()
        let palette = KVKey<Palette>("palette", bridge: .archived)
        try store.set(palette, value: Palette())
        guard store.get(palette)?.weights == Palette().weights else { return 0 }
        var done = 0
        for index in 0..<count {
            var data = archives[index % archives.count]
            // Within collections Foundation itself ends the process on some changed bytes.
            if index.isMultiple(of: archives.count) || index.isMultiple(of: 5) {
                data = data.prefix(Int.random(in: 0..<data.count))
            } else {
                for _ in 0..<Int.random(in: 1...4) {
                    data[Int.random(in: 0..<data.count)] = UInt8.random(in: 0...255)
                }
            }
            try store.setStoredValue(.data(data), for: "archive")
            _ = store.get(KVKey<Palette>("archive", bridge: .archived))
            _ = store.get(KVKey<NSUUID>("archive", bridge: .archived))
            _ = store.get(KVKey<URL>("archive", bridge: .url))
            done += 1
        }
        return done
    }
}

/// An object with containers of objects within.
final class Palette: NSObject, NSSecureCoding, Sendable {
    static var supportsSecureCoding: Bool { true }

    let names: [String]
    let weights: [String: Double]

    override init() {
        names = ["red", "green"]
        weights = ["red": 1.5, "green": 2]
    }

    init?(coder: NSCoder) {
        guard
            let names = coder.decodeObject(
                of: [NSArray.self, NSString.self],
                forKey: "names"
            ) as? [String],
            let weights = coder.decodeObject(
                of: [NSDictionary.self, NSString.self, NSNumber.self],
                forKey: "weights"
            ) as? [String: Double]
        else { return nil }
        self.names = names
        self.weights = weights
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSArray(array: names), forKey: "names")
        coder.encode(NSDictionary(dictionary: weights), forKey: "weights")
    }
}
