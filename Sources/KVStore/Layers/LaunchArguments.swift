/// Reads `-name value` pairs from the arguments of a command line.
enum LaunchArguments {
    /// Returns the values by name; the last of several for one name.
    static func values(in arguments: [String]) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst(), argument != "--" {
            guard let name = name(in: argument), let value = rest.first, isValue(value) else {
                continue
            }
            rest.removeFirst()
            values[name] = typed(value)
        }
        return values
    }

    private static func name(in argument: String) -> String? {
        guard argument.utf8.first == UInt8(ascii: "-"), !isNumber(typed(argument)) else {
            return nil
        }
        let name = String(Substring(argument.utf8.dropFirst()))
        guard name.utf8.first != UInt8(ascii: "-"), KeyName.isValid(name) else { return nil }
        return name
    }

    private static func isValue(_ argument: String) -> Bool {
        argument.utf8.first != UInt8(ascii: "-") || isNumber(typed(argument))
    }

    private static func isNumber(_ value: PropertyListValue) -> Bool {
        if case .string = value { return false }
        return true
    }

    /// Returns the bool or number that is written exactly as an argument is, or else a string.
    ///
    /// A string key reads a number by writing it out, so nothing that was typed is lost.
    private static func typed(_ argument: String) -> PropertyListValue {
        if argument == "true" { return true }
        if argument == "false" { return false }
        if let integer = Int64(argument), "\(integer)".utf8Equals(argument) {
            return .integer(integer)
        }
        if let integer = UInt64(argument), "\(integer)".utf8Equals(argument) {
            return .unsignedInteger(integer)
        }
        if let real = Double(argument), real.isFinite, "\(real)".utf8Equals(argument) {
            return .real(real)
        }
        return .string(argument)
    }
}
