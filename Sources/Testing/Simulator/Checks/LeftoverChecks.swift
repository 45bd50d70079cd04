// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// Checks for leftovers in the files when everything is quiet, which would make the files grow without bound.
enum LeftoverChecks {
  /// Returns a description of unneeded data in a client's file; nil if there are none.
  static func leftovers(inClient database: Database) throws -> String? {
    try leftovers(database, ["flx_history", "flx_pending_bootstrap", "flx_pending_bootstrap_end"], atMost: 0)
  }

  /// Returns a description of unneeded data in the server's store after compaction; nil if there are none.
  static func leftovers(inServer database: Database) throws -> String? {
    // The newest entries of streams and history remain, because the next ones follow them.
    try leftovers(database, ["flx_stream", "flx_reciprocals", "flx_history"], atMost: 8)
  }

  private static func leftovers(_ database: Database, _ tables: [String], atMost limit: Int64) throws
    -> String?
  {
    for table in tables {
      let count = try database.integer("SELECT count(*) FROM \(table)")
      if count > limit { return "\(count) rows in \(table) of '\(database.path)'" }
    }
    return nil
  }
}
