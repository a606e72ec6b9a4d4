#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension FileSystem {
    /// Returns the path that a path leads to, whether or not something is there.
    ///
    /// Links are followed also where they dangle, so that two stores over one file agree on its
    /// path before the file exists; `realpath` gives up there.
    ///
    /// - Parameter path: An absolute path.
    /// - Returns: The path without links, `.` and `..`.
    /// - Throws: `ELOOP` if links lead in a circle.
    package func resolve(_ path: String) throws(SystemError) -> String {
        var rest = Array(path.split(separator: "/", omittingEmptySubsequences: true).reversed())
        var resolved: [Substring] = []
        var followed = 0
        while let component = rest.popLast() {
            if component == "." { continue }
            if component == ".." {
                _ = resolved.popLast()
                continue
            }
            resolved.append(component)
            let destination: String?
            do throws(SystemError) {
                destination = try self.destination(ofLinkAt: Self.path(of: resolved))
            } catch {
                // Missing or not to be looked into: opening the file will tell.
                destination = nil
            }
            guard let destination else { continue }
            followed += 1
            guard followed <= 40 else { throw SystemError(ELOOP, "readlink") }
            resolved.removeLast()
            if destination.utf8.first == UInt8(ascii: "/") { resolved = [] }
            rest += destination.split(separator: "/", omittingEmptySubsequences: true).reversed()
        }
        return Self.path(of: resolved)
    }

    private static func path(of components: [Substring]) -> String {
        "/" + components.joined(separator: "/")
    }

    /// Makes a folder and those above it that are missing, so that they survive a power loss.
    package func makeDirectories(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try status(at: path)
            return
        } catch  where error.isAbsence {}
        let parent = Self.folder(of: path)
        guard parent != path else { return }
        try makeDirectories(parent)
        do throws(SystemError) {
            try makeDirectory(path, mode: 0o700)
        } catch  where error.code == EEXIST {}
        try synchronizeDirectory(parent)
    }

    /// Waits until what was done in a folder would survive a power loss.
    package func synchronizeDirectory(_ path: String) throws(SystemError) {
        let directory = try OpenFile(path, .read, on: self)
        try synchronize(directory.number)
    }

    /// Returns the path of the folder that an absolute path is in.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }

    /// Returns the last component of a path.
    package static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}
