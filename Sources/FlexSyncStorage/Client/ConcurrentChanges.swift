// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// The local changes over which incoming ones are merged, in reciprocal form: as they would be had the incoming
/// changes come first (protocol §7.2).
struct ConcurrentChanges {
  private struct Entry {
    let version: UInt64
    var changeset: Changeset
    var isAltered = false
  }

  private var entries: [Entry] = []

  /// Reads the history after a client version.
  init(_ database: Database, after clientVersion: UInt64, fileIdent: UInt64) throws {
    let sql = """
      SELECT version, timestamp, ifnull(reciprocal, changeset) FROM flx_history WHERE version > ?1 ORDER BY version
      """
    entries = try database.withStatement(sql) { statement in
      statement.bind(clientVersion, at: 1)
      var entries: [Entry] = []
      while try statement.step() {
        let version = statement.unsigned(0)
        let stamp = OriginStamp(timestamp: statement.unsigned(1), fileIdent: fileIdent)
        let instructions: [Instruction]
        do {
          instructions = try ChangesetCodec.decode(statement.blobBytes(2)).instructions
        } catch {
          throw StorageError(
            kind: .corrupt,
            message: "The history of '\(database.path)' is damaged at version \(version): \(error). "
              + "Delete the file; it is downloaded again."
          )
        }
        entries.append(
          Entry(version: version, changeset: Changeset(stamp: stamp, instructions: instructions))
        )
      }
      return entries
    }
  }

  /// Merges changesets that the server made when it had integrated this client up to `clientVersion`.
  mutating func merge(_ incoming: inout [Changeset], after clientVersion: UInt64) throws {
    guard let start = entries.firstIndex(where: { $0.version > clientVersion }) else { return }
    var local = entries[start...].map(\.changeset)
    let outcome = try Merge.transform(local: &local, incoming: &incoming)
    for offset in outcome.local {
      entries[start + offset].changeset = local[offset]
      entries[start + offset].isAltered = true
    }
  }

  /// Stores what merging has altered.
  func save(_ database: Database) throws {
    for entry in entries where entry.isAltered {
      try database.withStatement("UPDATE flx_history SET reciprocal = ?1 WHERE version = ?2") {
        $0.bind(ChangesetCodec.encode(entry.changeset.instructions), at: 1)
        $0.bind(entry.version, at: 2)
        try $0.run()
      }
    }
  }
}
