// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncSimulator
import FlexSyncStore
import Synchronization

/// A disk that is there for as long as this object.
final class MountedDisk {
  private static let count = Atomic(0)
  let disk: SimulatedDisk

  init(seed: UInt64 = 1, copyOf other: MountedDisk? = nil) {
    // Tests run side by side, and each has disks of its own.
    let name = "test\(MountedDisk.count.add(1, ordering: .relaxed).newValue)"
    disk =
      other.map { SimulatedDisk(name: name, seed: seed, copyOf: $0.disk) }
      ?? SimulatedDisk(name: name, seed: seed)
    SimulatedFileSystem.mount(disk)
  }

  deinit { SimulatedFileSystem.unmount(disk) }

  /// Opens a client's database.
  func open(_ name: String = "test.flexsync", synchronous: DatabaseConfiguration.Synchronous = .normal) throws
    -> Database
  {
    try Database.open(configuration(name, synchronous: synchronous))
  }

  func configuration(
    _ name: String = "test.flexsync",
    synchronous: DatabaseConfiguration.Synchronous = .normal
  ) -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration(
      location: .file(disk.path(name)),
      application: .realm,
      busyTimeoutMilliseconds: 0
    )
    configuration.synchronous = synchronous
    return configuration
  }
}

extension Database {
  /// The integers of a statement's first column.
  func integers(_ sql: String) throws -> [Int64] {
    try withStatement(sql) { statement in
      var integers: [Int64] = []
      while try statement.step() { integers.append(statement.int(0)) }
      return integers
    }
  }

  /// What SQLite says about the whole file.
  var isSound: Bool {
    get throws {
      try withStatement("PRAGMA integrity_check") { try $0.step() && $0.text(0) == "ok" }
    }
  }
}
