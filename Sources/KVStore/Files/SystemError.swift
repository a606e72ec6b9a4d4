#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The failure of one call to the operating system.
package struct SystemError: Error, Hashable {
    /// The value of `errno`.
    package let code: Int32
    /// The name of the call.
    package let call: String

    package init(_ code: Int32, _ call: String) {
        self.code = code
        self.call = call
    }

    /// Whether nothing is there, or what should be a folder on the way is none.
    package var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}

extension SystemError: CustomStringConvertible {
    /// The call and the system's text for the error.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The buffer is ours and its size is passed; the call ends the text within it.
        let failure = unsafe strerror_r(code, &buffer, buffer.count)
        let text = String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
        return failure == 0 ? "\(call): \(text)" : "\(call): error \(code)"
    }
}
