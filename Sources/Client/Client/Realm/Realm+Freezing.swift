// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

extension Realm {
  /// Returns a realm that stays on the data that this one shows. In a write transaction these are the data at its
  /// beginning. A frozen realm returns itself.
  ///
  /// - Throws: `CoreError` IO if the snapshot of the data was lost, `StorageError`.
  func frozen() throws -> Realm {
    try requireOpen()
    guard !isFrozen else { return self }
    guard let realm = try coordinator.frozenRealm(seenVersion, file.database.configuration, freeze) else {
      throw CoreError(
        .io,
        "The data that '\(coordinator.path)' shows here are outdated and could not be kept. Refresh the realm first."
      )
    }
    return realm
  }

  private func freeze(_ database: Database) throws -> Realm {
    let file = try RealmFile(database, owner: file.owner)
    // A class that a write transaction is about to add is not part of the version.
    let known = try file.objects.schema
    let classes = schema.declared.filter { known.contains(Schema([$0.schema])) }
    let schema = try RealmSchema(classes, store: file.objects, path: coordinator.path)
    return try Realm(
      coordinator: coordinator,
      file: file,
      schema: schema,
      kind: .frozen(version: seenVersion)
    )
  }

  /// Whether the data that the realm shows may be used by several threads.
  var isShared: Bool {
    if case .frozen = kind { true } else { false }
  }
}
