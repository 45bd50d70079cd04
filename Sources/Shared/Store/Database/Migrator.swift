// SPDX-License-Identifier: Apache-2.0

/// A change that every file of one kind gets once, such as a new table.
public struct Migration: Sendable {
  /// The name of the migration in error messages, logs and documents, unique among those of its kind of file.
  public let name: String
  let apply: @Sendable (Database) throws -> Void

  /// Creates a migration.
  ///
  /// - Parameter apply: Changes the file. It runs in a write transaction, exactly once for each file, and on a file
  ///   that has had exactly the migrations before it, so it need not look at what is there.
  public init(_ name: String, apply: @escaping @Sendable (Database) throws -> Void) {
    self.name = name
    self.apply = apply
  }
}

/// Brings the files of one kind to the format of this version.
///
/// The migrations form a list that only grows at its end, so a file has always had the first ones of it, and their
/// number says which. SQLite's `user_version` stores that number plus 1: format 1 is a file that has had no migration,
/// because it is new or because it comes from a version that did not have migrations yet.
public struct Migrator: Sendable {
  /// The format of a file that has had no migration.
  static let firstFormat: Int64 = 1

  /// All migrations, oldest first.
  public let migrations: [Migration]

  /// The format of a file that has had all migrations.
  public var format: Int64 { Migrator.firstFormat + Int64(migrations.count) }

  /// Runs the migrations that a file lacks, in one transaction with the record that they ran. A process that is killed,
  /// or a migration that fails, leaves the file as it was.
  ///
  /// - Returns: The migrations that ran. None if another process was faster.
  /// - Throws: `StorageError`, which names the file and the migration that failed.
  func migrate(_ database: Database) throws -> [Migration] {
    var step = "waiting for other writers"
    do {
      return try database.write {
        // Another process may have migrated the file before this one got the write lock.
        let missing = try missingMigrations(of: database)
        for migration in missing {
          step = "migration '\(migration.name)'"
          try migration.apply(database)
        }
        step = "committing"
        try database.execute("PRAGMA user_version=\(format)")
        return Array(missing)
      }
    } catch {
      throw failure(of: step, error, database)
    }
  }

  /// Returns the migrations that a file lacks.
  ///
  /// - Throws: `StorageError` of kind `newerFormat` if the file has had migrations that this version does not know.
  func missingMigrations(of database: Database) throws -> ArraySlice<Migration> {
    let found = try database.integer("PRAGMA user_version")
    guard found >= Migrator.firstFormat else {
      throw StorageError.damaged(database, "it has the impossible format \(found)")
    }
    guard found <= format else {
      throw StorageError(
        kind: .newerFormat,
        message:
          "'\(database.path)' has format \(found), written by a newer version of FlexSync. This version reads "
          + "formats up to \(format) and has not changed the file. \(database.advice.newerFormat)."
      )
    }
    return migrations[Int(found - Migrator.firstFormat)...]
  }

  private func failure(of step: String, _ error: any Error, _ database: Database) -> StorageError {
    let cause = error as? StorageError
    if let cause, cause.kind == .newerFormat { return cause }
    return StorageError(
      kind: cause?.kind ?? .statement,
      message: "'\(database.path)' cannot be upgraded to format \(format), and stays as it was. "
        + "The step that failed: \(step). \(error)",
      resultCode: cause?.resultCode ?? 0
    )
  }
}

extension Database {
  /// Adds a column unless it exists. Only for the first migration of a kind of file, which alone meets files in
  /// different states.
  package func addMissingColumn(_ column: String, _ type: String, to table: String) throws {
    let sql = "SELECT count(*) FROM pragma_table_info('\(table)') WHERE name = '\(column)'"
    guard try integer(sql) == 0 else { return }
    try execute("ALTER TABLE \(table) ADD COLUMN \(column) \(type)")
  }
}
