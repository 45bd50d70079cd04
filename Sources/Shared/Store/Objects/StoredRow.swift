// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery

/// A stored object as seen by the evaluator, for conditions that SQL cannot express.
struct StoredRow: PredicateRow {
  // The reader outlives every row: it exists as long as the function runs.
  unowned(unsafe) let reader: StoredRowReader
  unowned(unsafe) let table: ClassTable
  let row: Int64

  func value(of property: String) -> Value {
    guard let column = table.column(named: property), column.isSingle else { return .null }
    return reader.attempt { try reader.store.storedValue(row: row, column) } ?? .null
  }

  func elements(of property: String) -> [Value] {
    guard let column = table.column(named: property) else { return [] }
    return reader.attempt {
      switch column.schema.collection {
      case .list: try reader.store.listValues(row: row, column)
      case .set: try reader.store.setValues(row: row, column)
      case .dictionary: try reader.store.dictionaryEntries(row: row, column).map(\.value)
      case .single: []
      }
    } ?? []
  }

  func entries(of property: String) -> [DictionaryEntry] {
    guard let column = table.column(named: property), column.schema.collection == .dictionary else {
      return []
    }
    return reader.attempt { try reader.store.dictionaryEntries(row: row, column) } ?? []
  }

  func target(of link: Link) -> StoredRow? {
    reader.attempt { try reader.row(of: link) } ?? nil
  }

  func hasTarget(_ link: Link) -> Bool { reader.danglingLinks == .asStored || target(of: link) != nil }

  func incoming(from className: String, property: String) -> [StoredRow] {
    let links = reader.attempt { try reader.incomingLinks(to: self) } ?? []
    return links.filter { $0.column.table.name == className && $0.column.schema.name == property }
      .map { reader.row($0.row, in: $0.column.table) }
  }

  func incomingCount() -> Int { (reader.attempt { try reader.incomingLinks(to: self) } ?? []).count }

  func insertionOrder() -> Int64? { row }

  func identity() -> Link? {
    guard let key = reader.attempt({ try reader.store.key(of: row, in: table) }) ?? nil else { return nil }
    return Link(className: table.name, key: key)
  }
}

/// Reads the rows of a store for conditions that run inside SQL statements. Errors cannot pass through the evaluator;
/// the first one is kept and ends the statement.
final class StoredRowReader {
  let store: ObjectStore
  let danglingLinks: DanglingLinks
  private var failure: (any Error)?

  init(_ store: ObjectStore, _ danglingLinks: DanglingLinks) {
    self.store = store
    self.danglingLinks = danglingLinks
  }

  /// Returns the object in a row of a class.
  func row(_ row: Int64, in table: ClassTable) -> StoredRow {
    StoredRow(reader: self, table: table, row: row)
  }

  /// Returns the result of `body`, or nil after an error.
  func attempt<Result>(_ body: () throws -> Result) -> Result? {
    guard failure == nil else { return nil }
    do {
      return try body()
    } catch {
      failure = error
      return nil
    }
  }

  /// Throws the error that has occurred since the last call, if any.
  func checkFailure() throws {
    guard let failure else { return }
    self.failure = nil
    throw failure
  }

  fileprivate func row(of link: Link) throws -> StoredRow? {
    guard let table = store.catalog.tables[link.className], let row = try store.row(of: link.key, in: table)
    else {
      return nil
    }
    return self.row(row, in: table)
  }

  fileprivate func incomingLinks(to row: StoredRow) throws -> [ObjectStore.IncomingLink] {
    guard let key = try store.key(of: row.row, in: row.table) else { return [] }
    return try store.incomingLinks(to: ObjectReference(table: row.table.name, key: key))
  }
}
