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
    name: "CZstd",
    path: "Sources/System/CZstd",
    pkgConfig: "libzstd",
    providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
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

#if os(macOS)
/// The folders of FlexSync for frameworks of Apple that are modules of their own elsewhere.
let foldersForApple: [String] = []
let openCombine: [Target] = []
let openCombineProducts: [Product] = []
let openCombinePackages: [Package.Dependency] = []
#else
/// The folders of FlexSync for frameworks of Apple. Here they are modules of their own, over what there is instead.
let foldersForApple = ["Combine", "SwiftUI"]
// Programs that depend on this package without its traits need not download OpenCombine.
let openCombineModule = Target.Dependency.product(
  name: "OpenCombine",
  package: "OpenCombine",
  condition: .when(traits: ["OpenCombine"])
)
let openCombineDispatch = Target.Dependency.product(
  name: "OpenCombineDispatch",
  package: "OpenCombine",
  condition: .when(traits: ["OpenCombine"])
)
let openCombine: [Target] = [
  .target(
    name: "FlexSyncOpenCombine",
    dependencies: ["FlexSync", openCombineModule, openCombineDispatch],
    path: "Sources/Client/FlexSync/Combine"
  ),
  .testTarget(
    name: "FlexSyncOpenCombineTests",
    dependencies: [
      "FlexSync", "FlexSyncOpenCombine", "FlexSyncAppTestSupport", "FlexSyncTestSupport", "flexsyncd",
      openCombineModule, openCombineDispatch,
    ],
    path: "Tests/Client/CombineTests"
  ),
  // The sources for SwiftUI over stubs of its types, for tests only.
  .target(name: "SwiftUIStubs", dependencies: [openCombineModule], path: "Tests/Client/SwiftUIStubs"),
  .target(
    name: "FlexSyncSwiftUI",
    dependencies: ["FlexSync", "FlexSyncOpenCombine", "SwiftUIStubs", openCombineModule],
    path: "Sources/Client/FlexSync/SwiftUI"
  ),
  .testTarget(
    name: "FlexSyncSwiftUITests",
    dependencies: [
      "FlexSync", "FlexSyncOpenCombine", "FlexSyncSwiftUI", "SwiftUIStubs", "FlexSyncAppTestSupport",
      "flexsyncd",
      openCombineModule,
    ],
    path: "Tests/Client/SwiftUITests"
  ),
]
let openCombineProducts: [Product] = [
  .library(name: "FlexSyncOpenCombine", targets: ["FlexSyncOpenCombine"])
]
let openCombinePackages: [Package.Dependency] = [
  .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")
]
#endif

// What only the server needs, and the tests with it. The library is built without this trait, and without a network.
let logging = Target.Dependency.product(
  name: "Logging",
  package: "swift-log",
  condition: .when(traits: ["Server"])
)
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser",
  condition: .when(traits: ["Server"])
)

// The folders of Sources are layers, from Foundation up; dependencies point downwards only (Docs/Architecture.md).
let foundation: [Target] = [
  .target(name: "FlexSyncModel", path: "Sources/Foundation/Model"),
  .target(name: "FlexSyncJSON", dependencies: ["CJansson"], path: "Sources/Foundation/JSON"),
  .target(name: "FlexSyncCrypto", dependencies: ["COpenSSL"], path: "Sources/Foundation/Crypto"),
  .target(name: "FlexSyncScheduling", path: "Sources/Foundation/Scheduling"),
]

let shared: [Target] = [
  .target(name: "FlexSyncQuery", dependencies: ["FlexSyncModel"], path: "Sources/Shared/Query"),
  .target(name: "FlexSyncChangeset", dependencies: ["FlexSyncModel"], path: "Sources/Shared/Changeset"),
  .target(
    name: "FlexSyncWire",
    dependencies: ["FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "CZlib"],
    path: "Sources/Shared/Wire"
  ),
  .target(
    name: "FlexSyncStore",
    dependencies: ["FlexSyncModel", "FlexSyncQuery", "FlexSyncChangeset", "CSQLite"],
    path: "Sources/Shared/Store"
  ),
]

let network: [Target] = [
  .target(
    name: "FlexSyncTransport",
    dependencies: [
      "FlexSyncModel", "FlexSyncCrypto", "FlexSyncScheduling", "CLibuv", "COpenSSL", "CWslay", "CHTTPParser",
    ],
    path: "Sources/Network/Transport"
  )
]

let client: [Target] = [
  .target(name: "CFlexSync", path: "Include", publicHeadersPath: "."),
  .target(
    name: "FlexSyncCore",
    dependencies: [
      "CFlexSync", "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncScheduling", "FlexSyncQuery",
      "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore", "FlexSyncTransport", "CZstd",
    ],
    path: "Sources/Client",
    exclude: ["FlexSync"],
    sources: ["Client", "CABI"]
  ),
  .target(
    name: "FlexSync",
    dependencies: ["CFlexSync", "FlexSyncCore"],
    path: "Sources/Client/FlexSync",
    exclude: foldersForApple
  ),
]

let server: [Target] = [
  .target(
    name: "FlexSyncMatcher",
    dependencies: ["FlexSyncModel", "FlexSyncQuery"],
    path: "Sources/Server/Matcher"
  ),
  .target(
    name: "FlexSyncServerStore",
    dependencies: ["FlexSyncModel", "FlexSyncQuery", "FlexSyncChangeset", "FlexSyncStore"],
    path: "Sources/Server/ServerStore"
  ),
  .target(
    name: "FlexSyncServerSupport",
    dependencies: ["FlexSyncJSON"],
    path: "Sources/Server/ServerSupport"
  ),
  .target(
    name: "FlexSyncDocuments",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncQuery", "FlexSyncChangeset",
      "FlexSyncStore", "FlexSyncServerSupport",
    ],
    path: "Sources/Server/Documents"
  ),
  .target(
    name: "FlexSyncRules",
    dependencies: ["FlexSyncModel", "FlexSyncJSON", "FlexSyncQuery", "FlexSyncDocuments"],
    path: "Sources/Server/Rules"
  ),
  .target(
    name: "FlexSyncConfiguration",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncQuery", "FlexSyncChangeset", "FlexSyncWire",
      "FlexSyncServerSupport", "FlexSyncRules",
    ],
    path: "Sources/Server/Configuration"
  ),
  .target(
    name: "FlexSyncAccounts",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncScheduling", "FlexSyncQuery",
      "FlexSyncTransport", "FlexSyncServerStore", "FlexSyncServerSupport", "FlexSyncDocuments",
      "FlexSyncRules", "FlexSyncConfiguration",
      .target(name: "CCrypt", condition: .when(platforms: [.linux])),
      logging,
    ],
    path: "Sources/Server/Accounts"
  ),
  .target(
    name: "FlexSyncEngine",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncScheduling", "FlexSyncQuery",
      "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore", "FlexSyncMatcher", "FlexSyncServerStore",
      "FlexSyncServerSupport", "FlexSyncRules", "FlexSyncConfiguration",
      logging,
    ],
    path: "Sources/Server/Engine"
  ),
  .target(
    name: "FlexSyncServer",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncScheduling", "FlexSyncQuery",
      "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore", "FlexSyncTransport", "FlexSyncServerStore",
      "FlexSyncServerSupport", "FlexSyncDocuments", "FlexSyncRules", "FlexSyncConfiguration",
      "FlexSyncAccounts", "FlexSyncEngine", logging,
    ],
    path: "Sources/Server/Server"
  ),
]

/// Code shared by the tests and the conformance tools. Not part of any product.
let testSupport: [Target] = [
  .target(
    name: "FlexSyncTestSupport",
    dependencies: ["FlexSyncStore", "FlexSyncScheduling", "FlexSyncTransport"],
    path: "Sources/Testing/TestSupport"
  ),
  .target(
    name: "FlexSyncAppTestSupport",
    dependencies: ["FlexSync"],
    path: "Sources/Testing/AppTestSupport"
  ),
  .target(
    name: "FlexSyncVectors",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncQuery", "FlexSyncChangeset", "FlexSyncWire",
    ],
    path: "Sources/Testing/Vectors"
  ),
  .target(
    name: "FlexSyncSimulator",
    dependencies: [
      "FlexSyncModel", "FlexSyncScheduling", "FlexSyncQuery", "FlexSyncChangeset",
      "FlexSyncWire", "FlexSyncStore", "FlexSyncTransport", "FlexSyncCore", "FlexSyncServerStore",
      "FlexSyncRules", "FlexSyncConfiguration", "FlexSyncAccounts", "FlexSyncEngine", "FlexSyncServer",
      "FlexSyncTestSupport", "CSQLite", logging,
    ],
    path: "Sources/Testing/Simulator"
  ),
  .target(name: "DiskProbe", dependencies: ["CSQLite"], path: "Tests/DiskProbe"),
]

let executables: [Target] = [
  .executableTarget(
    name: "flexsyncd",
    dependencies: [
      "FlexSyncJSON", "FlexSyncScheduling", "FlexSyncServerStore", "FlexSyncServerSupport",
      "FlexSyncDocuments", "FlexSyncConfiguration", "FlexSyncAccounts", "FlexSyncServer",
      argumentParser,
      logging,
    ],
    path: "Sources/Server/flexsyncd"
  ),
  .executableTarget(
    name: "flexsync-vectors",
    dependencies: ["FlexSyncVectors"],
    path: "Sources/Testing/flexsync-vectors"
  ),
  .executableTarget(
    name: "flexsync-simulator",
    dependencies: ["FlexSyncSimulator", argumentParser],
    path: "Sources/Testing/flexsync-simulator"
  ),
  .executableTarget(name: "tasks-swift", dependencies: ["FlexSync"], path: "Examples/Tasks"),
  .executableTarget(
    name: "tasks-c",
    dependencies: ["CFlexSync", "FlexSyncCore"],
    path: "Bindings/C",
    exclude: ["samples"]
  ),
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
    dependencies: ["FlexSyncJSON", "FlexSyncTestSupport"],
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
    dependencies: ["FlexSyncStore", "FlexSyncTestSupport"],
    path: "Tests/Durability/Runner"
  ),
  .executableTarget(
    name: "process-peer",
    dependencies: ["CFlexSync", "FlexSyncCore"],
    path: "Tests/Processes/Peer"
  ),
  .executableTarget(
    name: "faults-c",
    dependencies: ["CFlexSync", "FlexSyncCore"],
    path: "Tests/Faults/Client"
  ),
]

let tests: [Target] = [
  .testTarget(
    name: "FlexSyncModelTests",
    dependencies: ["FlexSyncModel", "FlexSyncTestSupport"],
    path: "Tests/Foundation/ModelTests"
  ),
  .testTarget(name: "FlexSyncJSONTests", dependencies: ["FlexSyncJSON"], path: "Tests/Foundation/JSONTests"),
  .testTarget(
    name: "FlexSyncCryptoTests",
    dependencies: ["FlexSyncCrypto"],
    path: "Tests/Foundation/CryptoTests"
  ),
  .testTarget(
    name: "FlexSyncQueryTests",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncQuery", "FlexSyncChangeset", "FlexSyncStore",
      "FlexSyncMatcher", "FlexSyncServerStore", "FlexSyncTestSupport",
    ],
    path: "Tests/Shared/QueryTests"
  ),
  .testTarget(
    name: "FlexSyncChangesetTests",
    dependencies: ["FlexSyncModel", "FlexSyncChangeset", "FlexSyncTestSupport", "FlexSyncVectors"],
    path: "Tests/Shared/ChangesetTests"
  ),
  .testTarget(
    name: "FlexSyncWireTests",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncWire", "FlexSyncCore", "FlexSyncEngine",
      "FlexSyncTestSupport", "FlexSyncVectors",
    ],
    path: "Tests/Shared/WireTests"
  ),
  .testTarget(
    name: "FlexSyncStoreTests",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncQuery", "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore",
      "FlexSyncCore", "FlexSyncServerStore", "FlexSyncTestSupport", "FlexSyncVectors", "DiskProbe", "CSQLite",
    ],
    path: "Tests/Shared/StoreTests"
  ),
  .testTarget(
    name: "FlexSyncTransportTests",
    dependencies: ["FlexSyncScheduling", "FlexSyncTransport", "FlexSyncTestSupport", "CLibuv"],
    path: "Tests/Network/TransportTests"
  ),
  .testTarget(
    name: "FlexSyncCoreTests",
    dependencies: [
      "CFlexSync", "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncScheduling", "FlexSyncQuery",
      "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore", "FlexSyncTransport", "FlexSyncCore",
      "FlexSyncMatcher", "FlexSyncServerSupport", "FlexSyncRules", "FlexSyncConfiguration", "FlexSyncEngine",
      "FlexSyncServer", "FlexSyncTestSupport", "FlexSyncSimulator", "DiskProbe", "process-peer",
      logging,
    ],
    path: "Tests/Client/ClientTests"
  ),
  .testTarget(
    name: "FlexSyncTests",
    dependencies: ["CFlexSync", "FlexSync", "FlexSyncAppTestSupport", "FlexSyncTestSupport", "flexsyncd"],
    path: "Tests/Client/FlexSyncTests"
  ),
  .testTarget(
    name: "FlexSyncSeedExamples",
    dependencies: ["FlexSync", "FlexSyncAppTestSupport", "flexsyncd"],
    path: "Tests/SeedExamples"
  ),
  .testTarget(
    name: "FlexSyncServerTests",
    dependencies: [
      "FlexSyncModel", "FlexSyncJSON", "FlexSyncCrypto", "FlexSyncScheduling", "FlexSyncQuery",
      "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore", "FlexSyncTransport", "FlexSyncCore",
      "FlexSyncMatcher", "FlexSyncServerStore", "FlexSyncServerSupport", "FlexSyncDocuments", "FlexSyncRules",
      "FlexSyncConfiguration", "FlexSyncAccounts", "FlexSyncEngine", "FlexSyncServer", "FlexSyncTestSupport",
      "FlexSyncSimulator", "DiskProbe", "flexsyncd", logging,
    ],
    path: "Tests/Server/ServerTests"
  ),
  .testTarget(
    name: "FlexSyncSimulatorTests",
    dependencies: [
      "FlexSyncModel", "FlexSyncScheduling", "FlexSyncChangeset", "FlexSyncWire", "FlexSyncStore",
      "FlexSyncCore", "FlexSyncServerStore", "FlexSyncConfiguration", "FlexSyncEngine", "FlexSyncTestSupport",
      "FlexSyncSimulator", "CSQLite", logging,
    ],
    path: "Tests/Testing/SimulatorTests"
  ),
]

// `Scripts/test` sets this: random tests spend their time in these layers. SwiftPM accepts such flags only in a package that
// is built for itself.
if Context.environment["FLEXSYNC_TEST_BUILD"] != nil {
  for target in foundation + shared { target.swiftSettings = [.unsafeFlags(["-O"])] }
}

let package = Package(
  name: "flexsync",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "flexsync", type: .dynamic, targets: ["CFlexSync", "FlexSyncCore"]),
    .library(name: "FlexSync", targets: ["FlexSync"]),
    .executable(name: "flexsyncd", targets: ["flexsyncd"]),
    // What Benchmarks measures besides; not API.
    .library(name: "_FlexSyncMatcher", targets: ["FlexSyncMatcher"]),
  ] + openCombineProducts,
  traits: [
    .trait(name: "OpenCombine", description: "Downloads OpenCombine, for the product FlexSyncOpenCombine."),
    .trait(
      name: "Server",
      description: "Downloads swift-log and swift-argument-parser, for the product flexsyncd."
    ),
    .default(enabledTraits: ["OpenCombine", "Server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ] + openCombinePackages,
  targets: systemLibraries + foundation + shared + network + client + openCombine + server + testSupport
    + executables + tests,
  swiftLanguageModes: [.v6]
)
