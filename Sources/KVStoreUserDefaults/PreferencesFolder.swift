#if !canImport(Darwin)
import Foundation
import KVStore

/// Where Foundation on Linux keeps the files of `UserDefaults`.
enum PreferencesFolder {
    /// The folder's path.
    ///
    /// Foundation looks at the environment when it is loaded, so what the program changed in it
    /// since does not count.
    static let path = path(in: environment(at: "/proc/self/environ"))

    /// Finds the folder for an environment: `$XDG_CONFIG_HOME` if that is absolute, else `.config`
    /// in `$HOME`.
    static func path(in environment: [String: String]) -> String {
        if let folder = environment["XDG_CONFIG_HOME"], folder.utf8.first == UInt8(ascii: "/") {
            return folder
        }
        let home = environment["HOME"] ?? ""
        let folder = home + "/.config"
        if folder.utf8.first == UInt8(ascii: "/") { return folder }
        return FileManager.default.currentDirectoryPath + "/" + folder
    }

    private static func environment(at path: String) -> [String: String] {
        let system = PosixFileSystem()
        guard let bytes = try? OpenFile(path, .read, on: system).contents(size: 0) else {
            return ProcessInfo.processInfo.environment
        }
        var environment: [String: String] = [:]
        for entry in bytes.split(separator: 0) {
            let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = String(decoding: parts[0], as: UTF8.self)
            if environment[name] == nil {
                environment[name] = String(decoding: parts[1], as: UTF8.self)
            }
        }
        return environment
    }
}
#endif
