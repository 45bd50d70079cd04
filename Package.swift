// swift-tools-version: 6.1
import PackageDescription

// System libraries. `Scripts/bootstrap` installs what is missing.
let systemLibraries: [Target] = [
  .systemLibrary(
    name: "CSQLite",
    path: "Sources/System/CSQLite",
    pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
  ),
  .systemLibrary(
    name: "CLibuv",
    path: "Sources/System/CLibuv",
    pkgConfig: "libuv",
    providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]
  ),
  .systemLibrary(
    name: "COpenSSL",
    path: "Sources/System/COpenSSL",
    pkgConfig: "openssl",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
  ),
  .systemLibrary(
    name: "CZlib",
    path: "Sources/System/CZlib",
    pkgConfig: "zlib",
    providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
  ),
  .systemLibrary(
    name: "CWslay",
    path: "Sources/System/CWslay",
    providers: [.apt(["libwslay-dev"]), .brew(["wslay"])]
  ),
  .systemLibrary(
    name: "CHTTPParser",
    path: "Sources/System/CHTTPParser",
    providers: [.apt(["libhttp-parser-dev"]), .brew(["http-parser"])]
  ),
  .systemLibrary(
    name: "CJansson",
    path: "Sources/System/CJansson",
    pkgConfig: "jansson",
    providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]
  ),
  .systemLibrary(
    name: "CCrypt",
    path: "Sources/System/CCrypt",
    providers: [.apt(["libcrypt-dev"])]
  ),
]

// Dependencies point upwards in this list only (Docs/Architecture.md).
let libraries: [Target] = [
  .target(name: "CFlexSync", path: "Include", publicHeadersPath: "."),
  .target(name: "FlexSyncModel"),
  .target(name: "FlexSyncJSON", dependencies: ["CJansson"]),
  .target(name: "FlexSyncCrypto", dependencies: ["COpenSSL"]),
  .target(name: "FlexSyncQuery", dependencies: ["FlexSyncModel"]),
  .target(name: "FlexSyncChangeset", dependencies: ["FlexSyncModel"]),
  .target(
    name: "FlexSyncProtocol",
    dependencies: [
      "FlexSyncModel", "FlexSyncChangeset", "FlexSyncQuery", "FlexSyncJSON", "FlexSyncCrypto", "CZlib",
    ]
  ),
  .target(
    name: "FlexSyncStorage",
    dependencies: ["FlexSyncModel", "FlexSyncQuery", "FlexSyncChangeset", "CSQLite"]
  ),
  .target(
    name: "FlexSyncTransport",
    dependencies: ["FlexSyncCrypto", "CLibuv", "COpenSSL", "CWslay", "CHTTPParser"]
  ),
  .target(
    name: "FlexSyncCore",
    dependencies: [
      "CFlexSync", "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncQuery", "FlexSyncChangeset",
      "FlexSyncProtocol", "FlexSyncStorage", "FlexSyncTransport",
    ]
  ),
  .target(name: "FlexSync", dependencies: ["CFlexSync", "FlexSyncCore"]),
  .target(
    name: "FlexSyncServer",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncQuery", "FlexSyncChangeset",
      "FlexSyncProtocol", "FlexSyncStorage", "FlexSyncTransport",
      .target(name: "CCrypt", condition: .when(platforms: [.linux])),
      .product(name: "Logging", package: "swift-log"),
    ]
  ),
]

/// What the tests and the conformance tools share; no part of a product.
let testSupport: [Target] = [
  .target(
    name: "FlexSyncVectors",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncQuery", "FlexSyncChangeset",
      "FlexSyncProtocol",
      "FlexSyncStorage",
    ]
  ),
  .target(
    name: "FlexSyncSimulator",
    dependencies: [
      "CFlexSync", "FlexSyncModel", "FlexSyncChangeset", "FlexSyncProtocol", "FlexSyncStorage",
      "FlexSyncTransport",
      "FlexSyncCore", "FlexSyncServer", "CSQLite", .product(name: "Logging", package: "swift-log"),
    ]
  ),
  .target(name: "DiskProbe", dependencies: ["CSQLite"], path: "Tests/DiskProbe"),
]

let executables: [Target] = [
  .executableTarget(
    name: "flexsyncd",
    dependencies: [
      "FlexSyncServer", "FlexSyncJSON", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      .product(name: "Logging", package: "swift-log"),
    ]
  ),
  .executableTarget(name: "flexsync-vectors", dependencies: ["FlexSyncVectors"]),
  .executableTarget(
    name: "flexsync-simulator",
    dependencies: [
      "FlexSyncSimulator", .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ]
  ),
  .executableTarget(name: "tasks-swift", dependencies: ["FlexSync"], path: "Examples/Tasks"),
  .executableTarget(name: "tasks-c", dependencies: ["CFlexSync", "FlexSyncCore"], path: "Bindings/C"),
  .executableTarget(
    name: "conformance-swift",
    dependencies: ["FlexSync"],
    path: "Tests/Conformance/DriverSwift"
  ),
  .executableTarget(
    name: "conformance-c",
    dependencies: ["CFlexSync", "FlexSyncCore", "CJansson"],
    path: "Tests/Conformance/DriverC"
  ),
  .executableTarget(
    name: "interop",
    dependencies: ["FlexSyncJSON"],
    path: "Tests/Interop",
    exclude: ["README.md", "Owners", "Rules", "rejected-writes.json"]
  ),
  .executableTarget(
    name: "durability-device",
    dependencies: ["CFlexSync", "FlexSyncCore"],
    path: "Tests/Durability/Device"
  ),
  .executableTarget(
    name: "durability-runner",
    dependencies: ["FlexSyncStorage"],
    path: "Tests/Durability/Runner"
  ),
  .executableTarget(
    name: "faults-c",
    dependencies: ["CFlexSync", "FlexSyncCore"],
    path: "Tests/Faults/Client"
  ),
]

let tests: [Target] = [
  .testTarget(name: "FlexSyncModelTests", dependencies: ["FlexSyncModel"]),
  .testTarget(name: "FlexSyncJSONTests", dependencies: ["FlexSyncJSON"]),
  .testTarget(name: "FlexSyncCryptoTests", dependencies: ["FlexSyncCrypto"]),
  .testTarget(
    name: "FlexSyncQueryTests",
    dependencies: ["FlexSyncQuery", "FlexSyncJSON", "FlexSyncStorage"]
  ),
  .testTarget(name: "FlexSyncChangesetTests", dependencies: ["FlexSyncChangeset", "FlexSyncVectors"]),
  .testTarget(name: "FlexSyncProtocolTests", dependencies: ["FlexSyncProtocol", "FlexSyncVectors"]),
  .testTarget(
    name: "FlexSyncStorageTests",
    dependencies: ["FlexSyncStorage", "FlexSyncVectors", "DiskProbe"]
  ),
  .testTarget(name: "FlexSyncTransportTests", dependencies: ["FlexSyncTransport", "CLibuv"]),
  .testTarget(
    name: "FlexSyncServerTests",
    dependencies: [
      "FlexSyncServer", "FlexSyncModel", "FlexSyncChangeset", "FlexSyncQuery", "FlexSyncStorage",
      "FlexSyncProtocol",
      "FlexSyncTransport", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncSimulator", "DiskProbe", "flexsyncd",
      .product(name: "Logging", package: "swift-log"),
    ]
  ),
  .testTarget(
    name: "FlexSyncCoreTests",
    dependencies: [
      "FlexSyncCore", "CFlexSync", "FlexSyncJSON", "FlexSyncTransport", "FlexSyncServer", "FlexSyncSimulator",
      "DiskProbe",
      .product(name: "Logging", package: "swift-log"),
    ]
  ),
  .testTarget(
    name: "FlexSyncSimulatorTests",
    dependencies: [
      "FlexSyncSimulator", "FlexSyncModel", "FlexSyncChangeset", "FlexSyncProtocol", "FlexSyncStorage",
      "FlexSyncServer", .product(name: "Logging", package: "swift-log"),
    ]
  ),
  .testTarget(name: "FlexSyncTests", dependencies: ["FlexSync", "flexsyncd"]),
]

let package = Package(
  name: "flexsync",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "flexsync", type: .dynamic, targets: ["CFlexSync", "FlexSyncCore"]),
    .library(name: "FlexSync", targets: ["FlexSync"]),
    .executable(name: "flexsyncd", targets: ["flexsyncd"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: systemLibraries + libraries + testSupport + executables + tests,
  swiftLanguageModes: [.v6]
)
