// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [.package(name: "KVStore", path: "..")],
    targets: [
        .target(
            name: "TaskFlow",
            dependencies: [
                .product(name: "KVStoreMacros", package: "KVStore"),
                .product(name: "KVStoreReactive", package: "KVStore"),
            ]
        ),
        .executableTarget(
            name: "taskflow-demo",
            dependencies: [
                "TaskFlow",
                .product(name: "KVStoreUserDefaults", package: "KVStore"),
            ]
        ),
        .executableTarget(
            name: "taskflow-settings",
            dependencies: [
                "TaskFlow",
                .product(name: "KVStoreReactive", package: "KVStore"),
            ]
        ),
        .target(
            name: "SharedSuite",
            dependencies: [
                .product(name: "KVStoreReactive", package: "KVStore"),
                .product(name: "KVStoreUserDefaults", package: "KVStore"),
            ]
        ),
        .executableTarget(name: "suite-app", dependencies: ["SharedSuite"]),
        .executableTarget(name: "suite-extension", dependencies: ["SharedSuite"]),
        .target(
            name: "CustomBackend",
            dependencies: [.product(name: "KVStore", package: "KVStore")]
        ),
        .testTarget(name: "TaskFlowTests", dependencies: ["TaskFlow"]),
        .testTarget(
            name: "CustomBackendTests",
            dependencies: [
                "CustomBackend",
                .product(name: "KVStoreTesting", package: "KVStore"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
