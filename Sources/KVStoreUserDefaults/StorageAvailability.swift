import Foundation
import KVStore

/// Whether a domain can be read at all.
///
/// Devices keep preferences encrypted until they are unlocked for the first time after they started.
/// A program that the system starts before that finds `UserDefaults` empty; if it then wrote, what
/// the user had stored would be gone. Once the device was unlocked, the preferences stay readable.
package enum StorageAvailability {
    /// Decides from what opening the domain's file gave: nil if it could be opened.
    ///
    /// A file that may not be read yet is one that may not be opened; one that is not there leaves
    /// nothing to lose.
    package static func isAvailable(opening error: SystemError?) -> Bool {
        error?.code != EPERM
    }

    /// Asks the system about a domain.
    static func isAvailable(_ suite: SuiteName) -> Bool {
        #if canImport(Darwin) && !os(macOS)
        do throws(SystemError) {
            _ = try OpenFile(path(of: suite), .read, on: PosixFileSystem())
            return isAvailable(opening: nil)
        } catch {
            return isAvailable(opening: error)
        }
        #else
        return true
        #endif
    }

    #if canImport(Darwin) && !os(macOS)
    /// Where the system keeps a domain: in the container of the program, or of its app group.
    private static func path(of suite: SuiteName) -> String {
        var container = NSHomeDirectory()
        if case .suite(let name) = suite,
            let group = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: name
            )
        {
            container = group.path
        }
        return "\(container)/Library/Preferences/\(suite.fileName).plist"
    }
    #endif
}
