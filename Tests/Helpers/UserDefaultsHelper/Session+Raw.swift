import Foundation
import KVStore
import KVStoreUserDefaults

// Commands on `UserDefaults` itself, as other code of a program would use it.

extension Session {
    func runRaw(
        _ command: String,
        suite: String,
        key: String,
        words: [PropertyListValue]
    ) throws -> [PropertyListValue] {
        guard let defaults = suite == "standard" ? .standard : UserDefaults(suiteName: suite) else {
            return []
        }
        switch command {
        case "rawSet": defaults.set(Self.object(words[2]), forKey: key)
        case "rawGet": return [.string(Self.description(defaults.object(forKey: key)))]
        case "rawRemove": defaults.removeObject(forKey: key)
        case "rawSync": return [.bool(defaults.synchronize())]
        case "rawCount":
            return [.integer(Int64(defaults.persistentDomain(forName: suite)?.count ?? 0))]
        case "rawPoison": defaults.set(Date(timeIntervalSinceReferenceDate: .nan), forKey: key)
        case "rawTear":
            // Writes without pause, as fast as the disk takes it.
            for index in 0... {
                defaults.set("raw \(index)", forKey: key)
                defaults.synchronize()
                if index == 5 { say("busy") }
            }
        case "register": defaults.register(defaults: [key: Self.object(words[2])])
        case "registerObject": defaults.register(defaults: [key: NSObject()])
        default: return ["unknown command"]
        }
        return []
    }

    /// A value in native form, without the store's tags.
    private static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .string(let value): value
        case .integer(let value): Int(value)
        case .unsignedInteger(let value): value
        case .real(let value): value
        case .bool(let value): value
        case .data(let value): value
        case .date(let value): value
        case .array(let value): value.map(object)
        case .dictionary(let value): value.mapValues(object)
        }
    }

    private static func description(_ object: Any?) -> String {
        guard let object else { return "nil" }
        return "\(type(of: object)) \(object)"
    }
}
