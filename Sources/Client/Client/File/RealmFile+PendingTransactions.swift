// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

/// A write transaction that the server has not acknowledged.
struct PendingTransaction {
  /// The size of its changes.
  let byteCount: Int
  /// The objects that it writes, each once.
  let objects: [ObjectReference]
}

extension RealmFile {
  /// Returns the largest of the transactions that the server has not acknowledged; nil if there is none.
  func largestPendingTransaction() throws -> PendingTransaction? {
    let sql = """
      SELECT changeset FROM flx_history WHERE version > (SELECT upload_client_version FROM flx_metadata)
      ORDER BY ifnull(byte_count, length(changeset)) DESC LIMIT 1
      """
    let changeset = try database.withStatement(sql) { try $0.step() ? try $0.unpacked(0) : nil }
    guard let changeset else { return nil }
    var known: Set<ObjectReference> = []
    let objects = try ChangesetCodec.decode(changeset).instructions.compactMap(\.object)
    return PendingTransaction(
      byteCount: changeset.count,
      objects: objects.filter { known.insert($0).inserted }
    )
  }
}

extension PendingTransaction: CustomStringConvertible {
  /// Names the first objects, which tell the program's author which code has written them.
  var description: String {
    let named = objects.prefix(3).map { "\($0.table) \($0.key)" }.joined(separator: ", ")
    let others = objects.count > 3 ? " and \(objects.count - 3) others" : ""
    return "\(byteCount) bytes of changes, to \(named)\(others)"
  }
}
