// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStorage

extension Realm {
  /// How long to wait for another writer, in milliseconds.
  static let busyTimeoutMilliseconds: Int32 = 60_000

  /// Opens or creates a realm and declares its classes.
  ///
  /// - Throws: `CoreError`, `StorageError`.
  static func open(_ configuration: RealmConfiguration) throws -> Realm {
    let coordinator = try RealmRegistry.coordinator(of: configuration.location)
    return try coordinator.openingLock.withLock {
      let file = try RealmFile.open(fileConfiguration(coordinator), owner: .local)
      try declare(configuration.classes, in: file, coordinator)
      let schema = try RealmSchema(configuration.classes, store: file.objects)
      return try Realm(coordinator: coordinator, store: file.objects, schema: schema)
    }
  }

  /// How connections of a realm file are opened.
  static func fileConfiguration(_ coordinator: RealmCoordinator) -> DatabaseConfiguration {
    DatabaseConfiguration(
      location: .file(coordinator.path),
      application: .realm,
      synchronous: coordinator.isInMemory ? .off : .normal,
      busyTimeoutMilliseconds: busyTimeoutMilliseconds
    )
  }

  /// Adds to the file what the schema has and the file has not.
  private static func declare(
    _ classes: [DeclaredClass],
    in file: RealmFile,
    _ coordinator: RealmCoordinator
  ) throws {
    let declared = Schema(classes.map(\.schema))
    guard try !file.objects.schema.contains(declared) else { return }
    try file.database.write { try file.objects.declare(declared) }
  }
}

extension Schema {
  /// Whether declaring the other schema would change nothing.
  func contains(_ other: Schema) -> Bool {
    other.classes.allSatisfy { declared in
      guard let known = self[declared.name], known.kind == declared.kind,
        known.primaryKey == declared.primaryKey
      else { return false }
      return declared.properties.allSatisfy { property in
        guard let column = known.property(named: property.name) else { return false }
        return column.agrees(with: property) && (column.isIndexed || !property.isIndexed)
      }
    }
  }
}
