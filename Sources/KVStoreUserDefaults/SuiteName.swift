import Foundation

/// Which domain of `UserDefaults` a store keeps its values in.
enum SuiteName: Hashable, Sendable {
    /// The domain of the running program, that of `UserDefaults.standard`.
    case standard
    /// A suite by name.
    case suite(String)

    /// Finds the domain for a name; nil where the name is refused.
    ///
    /// The program's own name is the standard domain. Foundation on Linux would open its file a
    /// second time, with a cache of its own.
    init?(_ name: String?) {
        guard let name else {
            self = .standard
            return
        }
        if name == Self.programName {
            self = .standard
            return
        }
        guard Self.isAllowed(name) else { return nil }
        self = .suite(name)
    }

    /// The name by which `UserDefaults` gives the domain's own values.
    var domainName: String {
        switch self {
        #if canImport(Darwin)
        case .standard: Self.programName
        #else
        // The program's name would open the file a second time; this is what Foundation on Linux
        // itself calls the domain whose file has the program's name.
        case .standard: "kCFPreferencesCurrentApplication"
        #endif
        case .suite(let name): name
        }
    }

    /// The name of the domain's file, without its extension.
    var fileName: String {
        switch self {
        case .standard: Self.programName
        case .suite(let name): name
        }
    }

    #if canImport(Darwin)
    private static let programName =
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    #else
    private static let programName = ProcessInfo.processInfo.processName
    #endif

    /// Returns whether a name makes a file of its own within the preferences folder.
    ///
    /// Foundation on Linux takes the name for a path: a slash leaves the folder, a leading dot
    /// hides the file or names the global domain, and a name of 250 bytes and more is too long for
    /// a file with its extension. The limit leaves room for the names of the files beside it.
    private static func isAllowed(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "."), name.utf8.count <= 200,
            !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
        else { return false }
        return name != UserDefaults.globalDomain && name != UserDefaults.argumentDomain
            && name != UserDefaults.registrationDomain
            && !name.hasPrefix("kCFPreferences")
    }
}
