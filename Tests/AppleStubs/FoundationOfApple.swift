// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for what Foundation has on Apple platforms only and this package uses. It is compiled
// together with the code that uses it: Key-Value Observing is a part of `NSObject` there, and a method
// that is overridden cannot be added to a class from outside. Nothing here calls an observer. The
// declarations were written down from memory and from Apple's documentation.

public import Foundation

open class NSObject: Foundation.NSObject {
    open func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}

public struct NSKeyValueChangeKey: Hashable {}

struct NSKeyValueObservingOptions: OptionSet {
    let rawValue: UInt
}

extension UserDefaults {
    func addObserver(
        _ observer: Foundation.NSObject,
        forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {}

    func removeObserver(_ observer: Foundation.NSObject, forKeyPath keyPath: String) {}
}

typealias CFTypeID = UInt

/// The type of the booleans is 1 here, that of all others 0.
func CFGetTypeID(_ object: NSNumber) -> CFTypeID {
    unsafe UInt8(bitPattern: object.objCType.pointee) == UInt8(ascii: "c") ? 1 : 0
}

func CFBooleanGetTypeID() -> CFTypeID { 1 }

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? { nil }
}
