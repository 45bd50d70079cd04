// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncServerStore
import FlexSyncStore

/// The state and the history that streams are made from: the current ones or, for view changes that are spread over
/// turns, those of a snapshot.
final class StreamSource {
  let store: ServerStore
  let history: CommittedHistory
  let schema: AppSchema

  /// Creates a source of the current state.
  init(_ store: ServerStore, history: CommittedHistory, schema: AppSchema) {
    self.store = store
    self.history = history
    self.schema = schema
  }

  /// Creates a source of the committed state, which does not change while the source is in use.
  init(snapshotOf store: ServerStore, limits: HistoryLimits, schema: AppSchema) throws {
    self.store = try store.snapshot()
    self.schema = schema
    history = try CommittedHistory(store: self.store, limits: limits)
  }

  var objects: ObjectStore { store.objects }

  /// Returns the fields of an object that views examine; nil if the object does not exist.
  func image(of object: ObjectReference) throws -> ObjectImage? { try schema.image(of: object, in: objects) }

  /// Whether an object is in a view.
  func isIn(_ view: View, _ object: ObjectReference) throws -> Bool {
    view.contains(try image(of: object), className: object.table, layout: schema.layout(of: object.table))
  }

  func layout(of className: String) -> ImageLayout { schema.layout(of: className) }
}
