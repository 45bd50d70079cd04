// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncProtocol
import FlexSyncStorage

/// A client file while a session is bound to it.
final class LiveFile {
  var record: ClientFileRecord {
    didSet { isDirty = true }
  }
  /// The view that the stream follows.
  var view: View
  /// Whether the record differs from the stored one.
  var isDirty = false
  /// Whether the stored cursors may be lost with the power.
  var hasVolatileCursor = false
  /// The stream as a counterpart of merges; loaded when the first upload needs it.
  var window: MergeWindow?

  init(record: ClientFileRecord, view: View) {
    self.record = record
    self.view = view
  }

  var ident: UInt64 { record.ident }

  /// What the server has integrated from the client.
  var uploadCursor: UploadCursor {
    UploadCursor(
      clientVersion: record.uploadClientVersion,
      serverVersion: record.uploadServerVersion
    )
  }
}
