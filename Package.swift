// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "KVStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "KVStore", targets: ["KVStore"]),
        .library(name: "KVStoreUserDefaults", targets: ["KVStoreUserDefaults"]),
        .library(name: "KVStoreReactive", targets: ["KVStoreReactive"]),
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

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
    ]
}
