// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The operations of a migration, on the handle that has the new schema.
extension Realm {
  /// Gives a property of the new schema the values of one that only the old schema had.
  ///
  /// - Throws: `CoreError` UNSUPPORTED, `StorageError`.
  func renameProperty(of className: String, from oldName: String, to newName: String) throws {
    let steps = try requireMigration()
    try steps.renameProperty(of: className, from: oldName, to: newName)
    becomeOutdated()
  }

  /// Deletes all objects of a class, and the class if the new schema does not have it.
  ///
  /// - Returns: whether the file had the class.
  /// - Throws: `CoreError` UNSUPPORTED, `StorageError`.
  func deleteClass(named name: String) throws -> Bool {
    let steps = try requireMigration()
    guard let known = schema[name] else { return try steps.removeClass(name) }
    try Results(self, known).deleteAll()
    return true
  }

  private func requireMigration() throws -> SchemaMigration {
    try requireOpen()
    guard let migration else {
      throw CoreError.unsupported(
        "This is possible only in a migration, with the realm that has the new schema."
      )
    }
    return migration
  }
}
