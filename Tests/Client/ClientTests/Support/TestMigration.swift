// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

/// A migration as tests write it.
typealias TestMigration = (_ before: TestRealm, _ after: TestRealm, _ oldVersion: UInt64) throws -> Void

/// Keeps a migration for C.
private final class MigrationBox {
  let run: TestMigration

  init(_ run: @escaping TestMigration) { self.run = run }
}

extension TestRealm {
  /// Opens a local realm with a version of its schema.
  convenience init(
    path: String,
    _ classes: [TestClass],
    version: UInt64,
    mode: flx_schema_mode_t = .FLX_SCHEMA_VERSIONED,
    isReadOnly: Bool = false,
    migration: TestMigration? = nil
  ) throws {
    try self.init(path: path, classes: classes) { config in
      config.schema_mode = mode
      config.schema_version = version
      config.read_only = isReadOnly
      guard let migration else { return }
      config.migration = runTestMigration
      config.migration_userdata = Unmanaged.passRetained(MigrationBox(migration)).toOpaque()
      config.free_migration_userdata = { Unmanaged<MigrationBox>.fromOpaque($0.unsafelyUnwrapped).release() }
    }
  }

  var schemaVersion: UInt64 {
    get throws {
      var version: UInt64 = 0
      try attempt { flx_realm_schema_version(handle, &version, $0) }
      return version
    }
  }

  func rename(_ className: String, _ oldName: String, to newName: String) throws {
    try className.withC { className in
      try oldName.withC { oldName in
        try newName.withC { newName in
          try attempt { flx_migration_rename_property(handle, className, oldName, newName, $0) }
        }
      }
    }
  }

  func deleteClass(_ name: String) throws -> Bool {
    var wasDeleted = false
    try name.withC { name in try attempt { flx_migration_delete_class(handle, name, &wasDeleted, $0) } }
    return wasDeleted
  }

  var classNames: [String] {
    get throws {
      try (0..<flx_realm_class_count(handle)).map { index in
        var info = flx_class_info_t()
        try attempt { flx_realm_class_at(handle, index, &info, $0) }
        return info.name.text
      }
    }
  }
}

private let runTestMigration: flx_migration_t = { box, before, after, oldVersion, error in
  let migration = Unmanaged<MigrationBox>.fromOpaque(box.unsafelyUnwrapped).takeUnretainedValue()
  do {
    try migration.run(TestRealm(borrowing: before), TestRealm(borrowing: after), oldVersion)
    return .FLX_STATUS_OK
  } catch let failure as Failure {
    withUnsafeMutableBytes(of: &error.pointee.message) { $0.copyBytes(from: failure.message.utf8) }
    return failure.status
  } catch {
    Issue.record(error)
    return .FLX_STATUS_INTERNAL
  }
}
