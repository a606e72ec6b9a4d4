// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for notify(3) of Apple platforms, within one process, for machines that have none. The
// declarations were written down from memory and from Apple's documentation.

public import Dispatch
import Foundation

private nonisolated(unsafe) var registrations: [Int32: (name: String, call: () -> Void)] = [:]
private let lock = NSLock()

public func notify_register_dispatch(
    _ name: UnsafePointer<CChar>!,
    _ token: UnsafeMutablePointer<Int32>!,
    _ queue: DispatchQueue!,
    _ handler: (@Sendable (Int32) -> Void)!
) -> UInt32 {
    lock.lock()
    defer { lock.unlock() }
    let number = Int32(registrations.count) + 1
    registrations[number] = (String(cString: name), { queue.async { handler(number) } })
    token.pointee = number
    return 0
}

public func notify_post(_ name: UnsafePointer<CChar>!) -> UInt32 {
    lock.lock()
    defer { lock.unlock() }
    for registration in registrations.values where registration.name == String(cString: name) {
        registration.call()
    }
    return 0
}

@discardableResult
public func notify_cancel(_ token: Int32) -> UInt32 {
    lock.lock()
    defer { lock.unlock() }
    registrations[token] = nil
    return 0
}
