// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Migrates the objects of a local realm to a new version of its schema.
///
/// It runs in the thread that opens the realm, before it is open. A migration is one transaction: if the process ends, the
/// file stays as it was.
///
/// ```swift
/// let configuration = Realm.Configuration(schemaVersion: 2) { migration, oldVersion in
///   guard oldVersion < 2 else { return }
///   migration.enumerateObjects(ofType: "Person") { old, new in
///     new?["fullName"] = "\(old?["firstName"] ?? "") \(old?["lastName"] ?? "")"
///   }
/// }
/// ```
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// An object during a migration, whose properties are accessed by name.
public typealias MigrationObject = DynamicObject

/// Gets an object as it was and the same object with the new schema. Either may be nil: see
/// `Migration.enumerateObjects`.
public typealias MigrationObjectEnumerateBlock = (
  _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) ->
  Void

/// A realm during a migration: its data before, which is read-only, and with the new schema. Valid only in the block that
/// it was passed to.
///
/// A property whose type has changed has the initial value of its new type in new objects. A property that becomes the
/// primary key can be set until the migration ends; the values must then be different.
public final class Migration {
  let before: _RealmHandle
  let after: _RealmHandle

  init(before: _RealmHandle, after: _RealmHandle) {
    self.before = before
    self.after = after
  }

  /// The schema before the migration, with the names of the file.
  public var oldSchema: Schema { Schema(objectSchema: before.classSchemas) }

  /// The schema that the file is migrated to.
  public var newSchema: Schema { Schema(objectSchema: after.classSchemas) }

  /// Passes each object of a class to a block, as it was and with the new schema. Objects that have been deleted or
  /// created in the migration are left out.
  ///
  /// For a class that only the new schema has, the block gets the new objects alone; for one that it no longer has, the
  /// old objects. Nothing happens if neither has the class.
  public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
    let old = before.presentBinding(named: typeName)
    let new = after.presentBinding(named: typeName)
    guard let old else {
      guard let new else { return }
      for object in Results<DynamicObject>(after.allObjects(new.classKey), after) { block(nil, object) }
      return
    }
    for object in Results<DynamicObject>(before.allObjects(old.classKey), before) {
      guard let new else {
        block(object, nil)
        continue
      }
      guard let row = object._managed?.row, let changed = after.dynamicObject(new, row: row) else { continue }
      block(object, changed)
    }
  }

  /// Creates an object of a class of the new schema from values. See `Realm.create`.
  @discardableResult
  public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
    after.createInMigration(typeName, value)
  }

  /// Deletes an object of the new schema.
  public func delete(_ object: MigrationObject) {
    guard let managed = object._managed, managed.realm.isSame(as: after) else {
      Misuse.stop("Can only delete an object from the Realm it belongs to.")
    }
    managed.delete()
  }

  /// Deletes all objects of a class, and the class itself if the new schema does not have it.
  ///
  /// - Returns: whether the file has the class.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool { after.deleteData(ofClass: typeName) }

  /// Gives a property of the new schema the values of one that only the old schema has. The names are those in the file,
  /// if the class maps them (`propertiesMapping`).
  public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
    after.renameProperty(ofClass: typeName, from: oldName, to: newName)
  }
}

/// Returns the version of the schema in a file, which is 0 unless a program has set one.
///
/// - Parameter encryptionKey: must be nil. See `Realm.Configuration.encryptionKey`.
/// - Throws: `Realm.Error`, with code `invalidDatabase` if there is no file or it is not a realm.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  let configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey)
  try configuration.refuseEncryption()
  return try configuration.readSchemaVersion()
}

extension Realm {
  /// Migrates the file of a configuration, if it needs that, without keeping the realm open. Opening the realm does the
  /// same.
  ///
  /// - Throws: what `Realm.init(configuration:)` throws.
  public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
    Misuse.require(
      RealmPlace.current?.openRealm(configuration) == nil,
      "Cannot migrate Realms that are already open."
    )
    _ = try _RealmHandle.open(configuration, at: nil)
  }
}

extension _RealmHandle {
  /// The keys of a class that the realm has, for dynamic objects; nil if it does not have the class.
  fileprivate func presentBinding(named name: String) -> _ClassBinding? {
    hasClass(named: name) ? dynamicBinding(named: name) : nil
  }

  /// Creates an object, with the defaults of the Swift class for values that are left out.
  fileprivate func createInMigration(_ typeName: String, _ value: Any) -> DynamicObject {
    if !hasClass(named: typeName), let type = ProgramClasses.named(typeName) { requireClasses([type]) }
    Misuse.require(
      hasClass(named: typeName),
      "Object type '\(typeName)' is not managed by the Realm."
    )
    return createDynamic(typeName, storedValues(in: value), update: .error)
  }

  /// The values as the file stores them: in a migration, the class of a property need not be that of its present type.
  private func storedValues(in value: Any) -> Any {
    switch value {
    case let values as [String: Any]: values.mapValues { plainValue($0) ?? NSNull() }
    case let values as [Any]: values.map { plainValue($0) ?? NSNull() }
    default: value
    }
  }
}
