// SPDX-License-Identifier: Apache-2.0

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
  /// A bootstrap that the client does not have in full. What takes its place is placed when the view changes; until then
  /// the stream stays as it is.
  var unfinished: UnfinishedBootstrap?
  /// The body of a set of subscriptions that the client counts on, if the stream follows another one and the difference is
  /// to be placed as ordinary changes.
  var presentedQuery: String?
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

  /// Has the file be as it was if a change of it fails.
  func orAsBefore<Result>(_ change: () throws -> Result) throws -> Result {
    let (record, view, permissions, isDirty) = (record, view, permissions, isDirty)
    let (unfinished, presentedQuery) = (unfinished, presentedQuery)
    do {
      return try change()
    } catch {
      self.record = record
      self.view = view
      self.permissions = permissions
      self.unfinished = unfinished
      self.presentedQuery = presentedQuery
      self.isDirty = isDirty
      window = nil
      throw error
    }
  }

  var ident: UInt64 { record.ident }

  /// The body of the query set that the client has.
  var heldQuery: String { unfinished?.record.oldQuery ?? record.query }

  /// What the server has integrated from the client.
  var uploadCursor: UploadCursor {
    UploadCursor(
      clientVersion: record.uploadClientVersion,
      serverVersion: record.uploadServerVersion
    )
  }
}
