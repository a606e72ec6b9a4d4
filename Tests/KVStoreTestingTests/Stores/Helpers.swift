import Foundation
import Testing

/// The address of a program that the tests start; it lies beside the test bundle.
func helper(_ name: String) throws -> URL {
    #if canImport(Darwin)
    let bundle = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") })
    let folder = bundle.bundleURL.deletingLastPathComponent()
    #else
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
    let file = folder.appendingPathComponent(name)
    try #require(FileManager.default.isExecutableFile(atPath: file.path))
    return file
}
