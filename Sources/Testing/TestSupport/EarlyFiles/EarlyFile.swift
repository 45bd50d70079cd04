// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// A file as a version without migrations left it, with the tables of its time.
package struct EarlyFile: Sendable, CustomStringConvertible {
  package let description: String
  /// The statements that such versions ran, and rows.
  package let sql: String

  /// Writes the file. All of those versions recorded format 1.
  package func write(to path: String, _ application: DatabaseConfiguration.Application) throws {
    let database = try Database.open(path, application.withMigrations([]))
    try database.write { try database.execute(sql) }
  }
}

extension DatabaseConfiguration.Application {
  /// The same kind of file as a version with other migrations knows it.
  package func withMigrations(_ migrations: [Migration]) -> Self {
    Self(identifier: identifier, name: name, migrations: migrations, advice: advice)
  }
}

extension Database {
  package static func open(
    _ path: String,
    _ application: DatabaseConfiguration.Application,
    isReadOnly: Bool = false
  ) throws -> Database {
    var configuration = DatabaseConfiguration(
      location: .file(path),
      application: application,
      busyTimeoutMilliseconds: 10_000
    )
    configuration.isReadOnly = isReadOnly
    return try open(configuration)
  }

  /// The tables, columns and indexes, without the order of columns, which depends on when they were added.
  package func shape() throws -> [String] {
    try column(
      """
      SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || ifnull(c.dflt_value, '-')
          || ' ' || c.pk || CASE WHEN t.sql LIKE '%WITHOUT ROWID%' THEN ' without row id' ELSE '' END
        FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'
      UNION ALL SELECT ifnull(sql, name) FROM sqlite_schema WHERE type = 'index' ORDER BY 1
      """
    )
  }

  /// All values, each with its table and column.
  package func values() throws -> Set<String> {
    var values: Set<String> = []
    for table in try column("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      for name in try column("SELECT name FROM pragma_table_info('\(table)')") {
        values.formUnion(try column("SELECT '\(table).\(name) ' || quote(\(name)) FROM \(table)"))
      }
    }
    return values
  }

  private func column(_ sql: String) throws -> [String] {
    try withStatement(sql) { statement in
      var texts: [String] = []
      while try statement.step() { texts.append(statement.text(0)) }
      return texts
    }
  }
}

extension EarlyFile {
  /// Of the values of such a file, those that migrations leave where they are. At first, the identity of a user of the
  /// server was stored with the user.
  package static func lasting(_ values: Set<String>) -> Set<String> {
    values.filter { value in
      !["provider", "email", "password_hash"].contains { value.hasPrefix("flx_users.\($0) ") }
    }
  }
}
