// swift-tools-version: 6.2

import CompilerPluginSupport
import Foundation
import PackageDescription

/// The folder of the toolchain's own SwiftSyntax, or nil if there is none to compile against.
///
/// `KVSTORE_WITHOUT_SWIFT_SYNTAX` in the environment hides it.
let swiftSyntax: String? = {
    if Context.environment["KVSTORE_WITHOUT_SWIFT_SYNTAX"] != nil { return nil }
    let folders = Context.environment["PATH"]?.split(separator: ":") ?? []
    let compilers = folders.map { URL(fileURLWithPath: "\($0)/swiftc") }
    let compiler = compilers.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    // On the path there may be links to the compiler; its libraries are beside the real one.
    let folder = compiler?.resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("lib/swift/host").path
    guard let folder,
        FileManager.default.fileExists(
            atPath: "\(folder)/SwiftCompilerPluginMessageHandling.swiftmodule"
        )
    else { return nil }
    return folder
}()

let package = Package(
    name: "KVStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "KVStore", targets: ["KVStore"]),
        .library(name: "KVStoreUserDefaults", targets: ["KVStoreUserDefaults"]),
        .library(name: "KVStoreReactive", targets: ["KVStoreReactive"]),
        .library(name: "KVStoreMacros", targets: ["KVStoreMacros"]),
        .library(name: "KVStoreTesting", targets: ["KVStoreTesting"]),
    ],
    traits: [
        .trait(name: "Combine", description: "Publishers of a key's value, where Combine exists."),
        .trait(
            name: "SwiftUI",
            description: "Bindings, and KVStorage as a DynamicProperty, where SwiftUI exists."
        ),
        .default(enabledTraits: ["Combine", "SwiftUI"]),
    ],
    targets: [
        .target(name: "KVStore"),
        .target(
            name: "KVStoreUserDefaults",
            dependencies: ["KVStore"],
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .target(name: "KVStoreReactive", dependencies: ["KVStore"]),
        .target(name: "KVStoreMacros", dependencies: ["KVStoreReactive", "KVStoreMacrosPlugin"]),
        .macro(
            name: "KVStoreMacrosPlugin",
            // Without SwiftSyntax, a plugin that answers every use of a macro with the reason.
            path: swiftSyntax == nil ? "Sources/KVStoreMacrosStandIn" : nil
        ),
        .target(name: "KVStoreTesting", dependencies: ["KVStore"]),
        .target(name: "TestSupport", dependencies: ["KVStore"], path: "Tests/Support"),
        .executableTarget(
            name: "JSONFileWorker",
            dependencies: ["KVStore"],
            path: "Tests/Helpers/JSONFileWorker"
        ),
        .testTarget(
            name: "KVStoreTests",
            dependencies: ["KVStore", "TestSupport", "JSONFileWorker"],
            exclude: ["Golden/stored-shapes.json", "Golden/stored-shapes.xml.plist"]
        ),
        .executableTarget(
            name: "UserDefaultsHelper",
            dependencies: ["KVStoreUserDefaults"],
            path: "Tests/Helpers/UserDefaultsHelper"
        ),
        .testTarget(
            name: "KVStoreUserDefaultsTests",
            dependencies: [
                "KVStoreUserDefaults", "KVStoreReactive", "TestSupport", "UserDefaultsHelper",
            ]
        ),
        .executableTarget(
            name: "ReactiveHelper",
            dependencies: ["KVStoreReactive", "KVStoreUserDefaults"],
            path: "Tests/Helpers/ReactiveHelper"
        ),
        .executableTarget(
            name: "SettingsHelper",
            dependencies: ["KVStoreReactive", "KVStoreUserDefaults"],
            path: "Tests/Helpers/SettingsHelper"
        ),
        .testTarget(
            name: "KVStoreReactiveTests",
            dependencies: [
                "KVStoreReactive", "KVStoreUserDefaults", "TestSupport", "ReactiveHelper",
                "SettingsHelper",
            ]
        ),
        .executableTarget(
            name: "ContractHelper",
            dependencies: ["KVStoreTesting", "KVStoreReactive", "KVStoreUserDefaults"],
            path: "Tests/Helpers/ContractHelper"
        ),
        .executableTarget(
            name: "MigrationHelper",
            dependencies: ["KVStoreTesting", "KVStoreUserDefaults"],
            path: "Tests/Helpers/MigrationHelper"
        ),
        .testTarget(
            name: "KVStoreTestingTests",
            dependencies: [
                "KVStoreTesting", "KVStoreReactive", "TestSupport", "ContractHelper",
                "MigrationHelper",
            ]
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["KVStoreReactive", "KVStoreTesting", "KVStoreUserDefaults"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

if swiftSyntax != nil {
    package.targets += [
        .executableTarget(
            name: "MacrosHelper",
            dependencies: ["KVStoreMacros", "KVStoreUserDefaults"],
            path: "Tests/Helpers/MacrosHelper"
        ),
        .testTarget(
            name: "KVStoreMacrosTests",
            dependencies: [
                "KVStoreMacros", "KVStoreMacrosPlugin", "KVStoreUserDefaults", "MacrosHelper",
                "TestSupport",
            ]
        ),
    ]
}

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
    ]
}

// Flags that are called unsafe do not keep a package of these tools from being depended on.
if let swiftSyntax {
    let users = ["KVStoreMacrosPlugin", "KVStoreMacrosTests"]
    for target in package.targets where users.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-I", swiftSyntax]))
        target.linkerSettings = [
            .unsafeFlags(["-L", swiftSyntax, "-Xlinker", "-rpath", "-Xlinker", swiftSyntax])
        ]
    }
}
