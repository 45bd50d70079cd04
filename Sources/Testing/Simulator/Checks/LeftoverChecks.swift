// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// What must not be left in files when everything is quiet: they would grow without bound.
enum LeftoverChecks {
  /// What is left in a client's file that no one needs any more.
  static func leftovers(inClient database: Database) throws -> String? {
    try leftovers(database, ["flx_history", "flx_pending_bootstrap", "flx_pending_bootstrap_end"], atMost: 0)
  }

  /// What is left in the server's store after it has been compacted.
  static func leftovers(inServer database: Database) throws -> String? {
    // The newest entries of streams and history stay as the place where the next ones follow.
    try leftovers(database, ["flx_stream", "flx_reciprocals", "flx_history"], atMost: 8)
  }

  private static func leftovers(_ database: Database, _ tables: [String], atMost limit: Int64) throws
    -> String?
  {
    for table in tables {
      let count = try database.withStatement("SELECT count(*) FROM \(table)") { statement in
        try statement.step() ? statement.int(0) : 0
      }
      if count > limit { return "\(count) rows in \(table) of '\(database.path)'" }
    }
    return nil
  }
}
