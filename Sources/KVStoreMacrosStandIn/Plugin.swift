import Foundation

/// The program that the compiler starts where the toolchain has no SwiftSyntax to compile against.
///
/// It expands nothing and answers each use of a macro with one error that says why. A declaration
/// marked as unavailable would not do: the compiler would also say that the macro has no
/// implementation, and warn of it where nobody uses one.
@main
enum Plugin {
    static func main() throws {
        while let message = try nextMessage() {
            try send(reply(to: message))
        }
    }

    private static func reply(to message: [String: Any]) -> [String: Any] {
        if message["getCapability"] != nil {
            return ["getCapabilityResult": ["capability": ["protocolVersion": 7]]]
        }
        let expansion = message["expandAttachedMacro"] as? [String: Any]
        let attribute = expansion?["attributeSyntax"] as? [String: Any]
        let location = attribute?["location"] as? [String: Any]
        // The text of the attribute begins with the blanks before it.
        let text = attribute?["source"] as? String ?? ""
        let offset = location?["offset"] as? Int ?? 0
        let diagnostic: [String: Any] = [
            "message": "KVStore's macros need a toolchain with SwiftSyntax (lib/swift/host beside "
                + "the first swiftc on the PATH), as those of swift.org have. Without it, declare "
                + "settings with @KVStored in a class that conforms to KVSettings.",
            "severity": "error",
            "position": [
                "fileName": location?["fileName"] ?? "",
                "offset": offset + text.prefix { $0.isWhitespace }.utf8.count,
            ],
            "highlights": [Any](), "notes": [Any](), "fixIts": [Any](),
        ]
        // A macro is asked about once for each of its roles, and is to be complained of once.
        let role = expansion?["macroRole"] as? String
        let isReported = role == "member" || role == "peer"
        // An accessor, though nothing with it is ever built: else its absence is an error as well.
        let source = role == "accessor" ? "{ get { fatalError() } set {} }" : ""
        return [
            "expandMacroResult": [
                "expandedSource": source, "diagnostics": isReported ? [diagnostic] : [],
            ]
        ]
    }
}

// A message is its length in eight bytes, the lowest first, and JSON.

private func nextMessage() throws -> [String: Any]? {
    let input = FileHandle.standardInput
    guard let header = try input.read(upToCount: 8), header.count == 8 else { return nil }
    let count = header.reversed().reduce(0) { $0 << 8 | Int($1) }
    guard let body = try input.read(upToCount: count), body.count == count else { return nil }
    return try JSONSerialization.jsonObject(with: body) as? [String: Any]
}

private func send(_ message: [String: Any]) throws {
    let body = try JSONSerialization.data(withJSONObject: message)
    let header = (0..<8).map { UInt8(truncatingIfNeeded: body.count >> ($0 * 8)) }
    try FileHandle.standardOutput.write(contentsOf: Data(header) + body)
}
