// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel

/// Rejected writes as C structures, whose texts live as long as this object: `flx_rejected_writes_t`.
final class RejectedWriteList {
  private var texts = TextArena()
  private(set) var writes: [flx_rejected_write_t] = []

  init(_ writes: [RejectedWrite]) {
    self.writes = writes.map { write in
      var structure = flx_rejected_write_t()
      structure.id = write.id
      structure.class_name = texts.keep(write.object.table)
      structure.primary_key = write.object.key.lent(&texts)
      structure.reason = texts.keep(write.reason)
      structure.state = flx_rejected_write_state_t(write.state)
      structure.written_at = flx_timestamp_t(Timestamp(syncMilliseconds: write.writtenAt))
      structure.rejected_at = flx_timestamp_t(Timestamp(syncMilliseconds: write.rejectedAt))
      structure.has_changes = write.hasChanges
      return structure
    }
  }
}

extension PrimaryKey {
  /// Lends the key to C; synced classes have no global keys.
  func lent(_ texts: inout TextArena) -> flx_value_t { (value ?? .null).lent(&texts) }
}

extension flx_rejected_write_state_t {
  fileprivate init(_ state: RejectedWrite.State) {
    switch state {
    case .kept: self = .FLX_REJECTED_WRITE_KEPT
    case .resubmitted: self = .FLX_REJECTED_WRITE_RESUBMITTED
    }
  }
}

extension Timestamp {
  /// - Parameter milliseconds: since 2015, as in changesets.
  fileprivate init(syncMilliseconds milliseconds: UInt64) {
    self.init(milliseconds: Int64(clamping: milliseconds &+ OriginStamp.epochOffsetMilliseconds))
  }
}
