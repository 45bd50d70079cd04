// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery

/// The rows of a class that match one predicate and not another, in the order of their keys: that of their insertion would
/// tell since when there are objects which a user sees only now. Links count as what is stored, whether or not their targets
/// exist, as they do where changes are matched.
///
/// It keeps the snapshot of its database's transaction as long as it is not at its end.
public final class ViewScan {
  private let statement: Statement
  /// The class that is scanned.
  public let table: ClassTable

  /// - Throws: `StorageError`.
  public init(
    _ store: ObjectStore,
    table: ClassTable,
    matching wanted: Predicate,
    excluding unwanted: Predicate
  ) throws {
    let key = table.primaryKey.sqlName
    statement = try ViewScan.statement(
      store,
      "t0.flx_row, t0.\(key)",
      "ORDER BY t0.\(key)",
      table,
      matching: wanted,
      excluding: unwanted
    )
    self.table = table
  }

  /// How many rows there are.
  public static func count(
    _ store: ObjectStore,
    table: ClassTable,
    matching wanted: Predicate,
    excluding unwanted: Predicate
  ) throws -> Int64 {
    let statement = try statement(store, "count(*)", "", table, matching: wanted, excluding: unwanted)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) : 0
  }

  private static func statement(
    _ store: ObjectStore,
    _ result: String,
    _ order: String,
    _ table: ClassTable,
    matching wanted: Predicate,
    excluding unwanted: Predicate
  ) throws -> Statement {
    let layout = try store.layout
    func condition(_ predicate: Predicate) -> SQLFragment {
      SQLCompiler.condition(predicate, on: table.name, layout: layout, danglingLinks: .asStored)
    }
    let (included, excluded) = (condition(wanted), condition(unwanted))
    let statement = try store.database.prepare(
      """
      SELECT \(result) FROM \(table.sqlName) AS t0
      WHERE (\(included.text)) AND (\(excluded.text)) IS NOT TRUE \(order)
      """
    )
    try statement.bind(included.bindings + excluded.bindings, store)
    return statement
  }

  /// The next row and the key of its object; nil behind the last.
  public func next() throws -> (row: Int64, key: PrimaryKey)? {
    guard try statement.step() else {
      statement.reset()
      return nil
    }
    return (statement.int(0), statement.key(1, table.primaryKey.schema.type))
  }

  /// Ends the scan early.
  public func cancel() { statement.reset() }
}
