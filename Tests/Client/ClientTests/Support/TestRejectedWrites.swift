// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSyncCore

/// A rejected write as C shows it.
struct TestRejectedWrite {
  let id: Int64
  let className: String
  let key: Cell
  let reason: String
  let isResubmitted: Bool
  let hasChanges: Bool
  let writtenAt: flx_timestamp_t
}

extension TestRealm {
  var rejectedWrites: [TestRejectedWrite] {
    get throws {
      var list: OpaquePointer?
      try attempt { flx_rejected_writes_get(handle, &list, $0) }
      let writes = try #require(list)
      defer { flx_rejected_writes_release(writes) }
      return try (0..<flx_rejected_writes_count(writes)).map { index in
        var write = flx_rejected_write_t()
        try attempt { flx_rejected_writes_at(writes, index, &write, $0) }
        return TestRejectedWrite(
          id: write.id,
          className: write.class_name.text,
          key: Cell(write.primary_key),
          reason: write.reason.text,
          isResubmitted: write.state == .FLX_REJECTED_WRITE_RESUBMITTED,
          hasChanges: write.has_changes,
          writtenAt: write.written_at
        )
      }
    }
  }

  func observeRejectedWrites() throws -> Observation<Change> {
    try Observation { userdata, token in
      try attempt {
        flx_rejected_writes_observe(
          handle,
          recordChange,
          userdata,
          { Unmanaged<Observation<Change>.Reports>.fromOpaque($0!).release() },
          &token,
          $0
        )
      }
    }
  }

  func resubmit(_ id: Int64) throws { try attempt { flx_rejected_write_resubmit(handle, id, $0) } }

  @discardableResult
  func discard(_ id: Int64) throws -> Bool {
    var isDiscarded = false
    try attempt { flx_rejected_write_discard(handle, id, &isDiscarded, $0) }
    return isDiscarded
  }
}
