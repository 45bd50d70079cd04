// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncStore

/// Expects the state that is written for each object to be the bytes of its full state.
func expectWrittenStatesAreFullStates(_ store: ObjectStore, _ seed: UInt64) throws {
  for table in try store.tables.values where !table.isEmbedded {
    for row in try store.rows(table) {
      let key = try #require(try store.key(of: row, in: table))
      let writer = ChangesetWriter()
      writer.begin(table: table.name, key: key)
      let sql = "SELECT \(table.selectList) FROM \(table.sqlName) WHERE flx_row = ?1"
      try store.database.withStatement(sql) { statement in
        statement.bind(row, at: 1)
        #expect(try statement.step())
        try store.writeState(of: row, key, statement, from: 0, in: table, to: writer)
      }
      let expected = try store.fullState(of: row, in: table)
      #expect([UInt8](writer.bytes) == ChangesetCodec.encode(expected), "seed \(seed)")
    }
  }
}
