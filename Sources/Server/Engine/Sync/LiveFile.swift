// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncWire

/// A client file while a session is bound to it.
final class LiveFile {
  var record: ClientFileRecord {
    didSet { isDirty = true }
  }
  /// The view that the stream follows.
  private(set) var view: View
  /// What the user may see and do now.
  var permissions: Permissions
  /// The place of the view among those of all live files; nil until the stream has been extended for the first time.
  var liveView: LiveView?
  /// Whether the record differs from the stored one.
  var isDirty = false
  /// The lazy commit that has stored the cursors; it must be durable before the client is told them.
  var lazyCommit: UInt64 = 0
  /// The stream as a counterpart of merges; loaded when the first upload needs it.
  var window: MergeWindow?

  init(record: ClientFileRecord, view: View, permissions: Permissions) {
    self.record = record
    self.view = view
    self.permissions = permissions
  }

  /// Notes the view that the stream follows from now on.
  func follow(_ view: View) {
    self.view = view
    record.query = view.body
    record.permissions = view.identity.permissions
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
