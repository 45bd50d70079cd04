// swift-tools-version: 6.1
import PackageDescription

// Benchmarks of FlexSync against the same work done with the C API of SQLite. Run them with Scripts/benchmark.
let package = Package(
  name: "flexsync-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Named explicitly, because the folder of a checkout may have any name.
    .package(name: "flexsync", path: "..", traits: ["Server"])
  ],
  targets: [
    .target(name: "Workload"),
    .target(
      name: "RawSQLite",
      dependencies: ["Workload"],
      linkerSettings: [.linkedLibrary("sqlite3")]
    ),
    .target(
      name: "FlexSyncLoops",
      dependencies: ["Workload", .product(name: "FlexSync", package: "flexsync")]
    ),
    .executableTarget(
      name: "flexsync-benchmark",
      dependencies: [
        "Workload", "RawSQLite", "FlexSyncLoops", .product(name: "FlexSync", package: "flexsync"),
        .product(name: "_FlexSyncMatcher", package: "flexsync"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)
