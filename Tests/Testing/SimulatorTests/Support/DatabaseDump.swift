// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncCore
import FlexSyncStore

extension MountedDisk {
  /// Everything in a file, as a connection of its own reads it: a line for each row. Fails if the file is not sound.
  func dump(_ name: String = "test.flexsync", application: DatabaseConfiguration.Application = .realm) throws
    -> [String]
  {
    let database = try Database.open(
      DatabaseConfiguration(
        location: .file(disk.path(name)),
        application: application,
        busyTimeoutMilliseconds: 0
      )
    )
    guard try database.isSound else {
      throw StorageError(kind: .corrupt, message: "integrity_check has found something in '\(name)'")
    }
    return try database.dump()
  }
}

extension Database {
  /// The rows of all tables, a line for each.
  func dump() throws -> [String] {
    try read {
      try texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").flatMap { table in
        let columns = try texts("SELECT name FROM pragma_table_info('\(table)')")
        let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
        return try texts("SELECT \(values) FROM \"\(table)\"").map { "\(table): \($0)" }.sorted()
      }
    }
  }

  /// The texts of a statement's first column.
  func texts(_ sql: String) throws -> [String] {
    try withStatement(sql) { statement in
      var texts: [String] = []
      while try statement.step() { texts.append(statement.text(0)) }
      return texts
    }
  }
}
