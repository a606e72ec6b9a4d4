// swift-tools-version: 6.2

// Programs that use KVStore with their own settings, not the package's: plain Swift 6, default
// isolation to the main actor, and the core alone.

import PackageDescription

let package = Package(
    name: "Clients",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "KVStore", path: "../..")],
    targets: [
        .executableTarget(
            name: "CoreOnly",
            dependencies: [.product(name: "KVStore", package: "KVStore")]
        ),
        .executableTarget(
            name: "PlainSwift6",
            dependencies: [
                .product(name: "KVStoreReactive", package: "KVStore"),
                .product(name: "KVStoreUserDefaults", package: "KVStore"),
            ]
        ),
        .executableTarget(
            name: "MacroSettings",
            dependencies: [.product(name: "KVStoreMacros", package: "KVStore")]
        ),
        .executableTarget(
            name: "MainActorByDefault",
            dependencies: [
                .product(name: "KVStoreMacros", package: "KVStore"),
                .product(name: "KVStoreReactive", package: "KVStore"),
                .product(name: "KVStoreUserDefaults", package: "KVStore"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
