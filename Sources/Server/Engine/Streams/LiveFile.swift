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
  /// The user's current permissions.
  var permissions: Permissions
  /// A bootstrap that the client does not have in full. Its replacement is placed when the view changes; until then,
  /// the stream stays as it is.
  var unfinished: UnfinishedBootstrap?
  /// The body of the query set that the client expects, if the stream follows another one and the difference must be
  /// placed as ordinary changes.
  var presentedQuery: String?
  /// A query set that the client has asked for, if its bootstrap has to take account of batches that the client has
  /// kept (`KeptBatches`). The bootstrap is placed when the view changes.
  var requestedSet: RequestedSet?
  /// The entry for the view in `LiveViews`; nil until the stream has been extended for the first time.
  var liveView: LiveView?
  /// Whether the record has changes that must be stored.
  var isDirty = false
  /// The lazy commit that stored the cursors. It must be durable before the server reports them to the client.
  var lazyCommit: UInt64 = 0
  /// The stream in the form that uploads are merged with; loaded when the first upload needs it.
  var window: MergeWindow?

  init(record: ClientFileRecord, view: View, permissions: Permissions) {
    self.record = record
    self.view = view
    self.permissions = permissions
  }

  /// Makes the stream follow a view from now on.
  func follow(_ view: View) {
    self.view = view
    record.query = view.body
    record.permissions = view.identity.permissions
  }

  /// Runs a change to the file, and restores the previous state if it throws.
  func orAsBefore<Result>(_ change: () throws -> Result) throws -> Result {
    let (record, view, permissions, isDirty) = (record, view, permissions, isDirty)
    let (unfinished, presentedQuery, requestedSet) = (unfinished, presentedQuery, requestedSet)
    do {
      return try change()
    } catch {
      self.record = record
      self.view = view
      self.permissions = permissions
      self.unfinished = unfinished
      self.presentedQuery = presentedQuery
      self.requestedSet = requestedSet
      self.isDirty = isDirty
      window = nil
      throw error
    }
  }

  var ident: UInt64 { record.ident }

  /// The body of the query set that the client has.
  var heldQuery: String { unfinished?.record.oldQuery ?? record.query }

  /// The point up to which the server has integrated the client's changes.
  var uploadCursor: UploadCursor {
    UploadCursor(
      clientVersion: record.uploadClientVersion,
      serverVersion: record.uploadServerVersion
    )
  }
}

/// A query set that a client has asked for.
struct RequestedSet: Hashable {
  let version: UInt64
  let body: String
}
