// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension RejectedWrite {
  fileprivate init(_ write: flx_rejected_write_t, _ handle: _RealmHandle) {
    self.handle = handle
    id = write.id
    objectType = String(write.class_name)
    key = PrimaryKeyCopy(_Value(write.primary_key))
    reason = String(write.reason)
    state = write.state == .FLX_REJECTED_WRITE_RESUBMITTED ? .resubmitted : .kept
    writtenAt = Date(write.written_at)
    rejectedAt = Date(write.rejected_at)
    hasChanges = write.has_changes
  }
}

extension _RealmHandle {
  func readRejectedWrites() -> [RejectedWrite] {
    let list = makeHandleOrTrap { flx_rejected_writes_get(pointer, &$0, $1) }
    defer { flx_rejected_writes_release(list) }
    return (0..<flx_rejected_writes_count(list)).map { index in
      var write = flx_rejected_write_t()
      mustSucceed { flx_rejected_writes_at(list, index, &write, $0) }
      return RejectedWrite(write, self)
    }
  }

  func observeRejectedWrites<Collection>(
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmCollectionChange<Collection>) -> Void
  ) -> NotificationToken {
    NotificationToken.make(on: self, collection, block) {
      flx_rejected_writes_observe(pointer, $0, $1, freeCallbackBox, $2, $3)
    }
  }

  func resubmitRejectedWrite(_ id: Int64) throws {
    try check { flx_rejected_write_resubmit(pointer, id, $0) }
  }

  func discardRejectedWrite(_ id: Int64) throws {
    try check { flx_rejected_write_discard(pointer, id, nil, $0) }
  }
}

extension CompensatingWriteInfo {
  init(_ write: flx_compensating_write_t) {
    objectType = String(write.class_name)
    reason = String(write.reason)
    key = PrimaryKeyCopy(_Value(write.primary_key))
  }
}

extension PrimaryKeyCopy {
  init(_ value: _Value) {
    switch value.flex.type {
    case .FLX_TYPE_INT: self = .int(Int(value.int))
    case .FLX_TYPE_STRING: self = .string(value.string)
    case .FLX_TYPE_OBJECT_ID: self = .objectId(value.objectId)
    case .FLX_TYPE_UUID: self = .uuid(value.uuid)
    default: self = .none
    }
  }
}
