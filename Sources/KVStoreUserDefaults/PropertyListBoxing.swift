import Foundation
import KVStore

/// The way between stored values and what Foundation's property lists are made of.
///
/// Foundation on Linux ends the process when it is given a value of any other kind, and it wraps
/// the elements of what it gives back into optionals at every level, so both ways go kind by kind.
enum PropertyListBoxing {
    /// Returns a value in the form in which the domain's file holds it.
    ///
    /// - Throws: ``KVStoreError`` with `invalidValue` if the value nests too deeply.
    static func boxed(_ value: PropertyListValue, for name: String) throws -> Any {
        do {
            return object(try MediumTagging.tagged(value, for: medium))
        } catch {
            throw KVStoreError(
                .invalidValue,
                reason: "Arrays and dictionaries nest too deeply. Nothing was stored.",
                key: name
            )
        }
    }

    /// Returns changes in the form in which the domain's file holds them.
    ///
    /// - Throws: ``KVStoreError`` with `invalidValue` if a value nests too deeply.
    static func boxed(
        _ changes: [String: PropertyListValue?]
    ) throws -> [(name: String, object: Any?)] {
        try changes.map { name, value in (name, try value.map { try boxed($0, for: name) }) }
    }

    /// Returns the value of an object; nil where it is not one of a property list.
    ///
    /// Other code can register defaults of any kind. What is no property list, also deep within,
    /// and what nests beyond 128 levels has no value.
    static func value(_ object: Any) -> PropertyListValue? {
        guard let tree = tree(object, depth: 0) else { return nil }
        do {
            return try MediumTagging.untagged(tree, badPayload: .isPlain)
        } catch {
            return nil
        }
    }

    #if canImport(Darwin)
    private static let medium = Medium.darwinPropertyList
    #else
    private static let medium = Medium.linuxPropertyList
    #endif

    private static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .string(let value): value
        case .integer(let value): Int(exactly: value).map { $0 as Any } ?? value
        case .unsignedInteger(let value): value
        case .real(let value): value
        case .bool(let value): value
        case .data(let value): value
        case .date(let value): value
        case .array(let value): value.map(object)
        case .dictionary(let value): value.mapValues(object)
        }
    }

    private static func tree(_ object: Any, depth: Int) -> PropertyListValue? {
        // Before the casts, because a number object casts to every number type that holds it.
        if type(of: object) is NSNumber.Type {
            return (object as? NSNumber).map(number)
        }
        switch object {
        case let value as String: return .string(value)
        case let value as Bool: return .bool(value)
        case let value as Int: return .integer(Int64(value))
        case let value as Double: return .real(value)
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let value as [Any]: return array(value, depth: depth)
        case let value as [String: Any]: return dictionary(value, depth: depth)
        case let value as any BinaryInteger: return integer(value)
        case let value as any BinaryFloatingPoint: return .real(Double(value))
        case let value as any OptionalObject:
            // Each optional counts as a level, so that a deep nest of them ends as well.
            guard depth <= PropertyListValue.maximumDepth else { return nil }
            return value.wrapped.flatMap { tree($0, depth: depth + 1) }
        case let value as URL: return .string(value.absoluteString)
        default: return nil
        }
    }

    private static func array(_ elements: [Any], depth: Int) -> PropertyListValue? {
        guard depth < PropertyListValue.maximumDepth * 2 else { return nil }
        var values: [PropertyListValue] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard let value = tree(unwrapped(element), depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private static func dictionary(_ entries: [String: Any], depth: Int) -> PropertyListValue? {
        guard depth < PropertyListValue.maximumDepth * 2 else { return nil }
        var values: [String: PropertyListValue] = [:]
        values.reserveCapacity(entries.count)
        for (key, object) in entries {
            guard let value = tree(unwrapped(object), depth: depth + 1) else { return nil }
            values[key] = value
        }
        return .dictionary(values)
    }

    private static func unwrapped(_ object: Any) -> Any {
        guard let optional = object as? any OptionalObject, let wrapped = optional.wrapped else {
            return object
        }
        return wrapped
    }

    private static func integer(_ value: any BinaryInteger) -> PropertyListValue? {
        if let signed = Int64(exactly: value) { return .integer(signed) }
        return UInt64(exactly: value).map { .unsignedInteger($0) }
    }

    private static func number(_ number: NSNumber) -> PropertyListValue {
        #if canImport(Darwin)
        if CFGetTypeID(number) == CFBooleanGetTypeID() { return .bool(number.boolValue) }
        #endif
        // The one character at the pointer is a constant of the program.
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        #if !canImport(Darwin)
        // Foundation on Linux gives this type to booleans alone.
        case UInt8(ascii: "c"): return .bool(number.boolValue)
        #endif
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            let value = number.uint64Value
            return Int64(exactly: value).map { .integer($0) } ?? .unsignedInteger(value)
        default:
            // A wider number than 64 signed bits has its sign in its order only.
            if number.int64Value < 0, number.compare(NSNumber(value: 0)) == .orderedDescending {
                return .unsignedInteger(number.uint64Value)
            }
            return .integer(number.int64Value)
        }
    }
}

/// An optional whose wrapped type is not known.
private protocol OptionalObject {
    var wrapped: Any? { get }
}

extension Optional: OptionalObject {
    var wrapped: Any? { map { $0 as Any } }
}
