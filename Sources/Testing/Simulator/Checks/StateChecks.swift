// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// The invariants of the objects of clients and the server.
enum StateChecks {
  // MARK: At any time

  /// Checks that each transaction is present in full or not at all.
  static func checkTransactionsAreWhole(_ objects: ObjectStore, _ name: String) throws {
    let journal = try keys(objects, SimulationSchema.journal)
    let witness = try keys(objects, SimulationSchema.witness)
    guard journal != witness else { return }
    let parts = journal.symmetricDifference(witness).sorted()
    throw SimulationFailure("\(name) has transactions in part: \(parts.prefix(5))")
  }

  /// Returns the keys of a class whose keys are strings.
  static func keys(_ objects: ObjectStore, _ className: String) throws -> Set<String> {
    guard let table = try objects.table(named: className) else { return [] }
    var keys: Set<String> = []
    for row in try objects.rows(table) {
      if case .string(let key)? = try objects.key(of: row, in: table) { keys.insert(key) }
    }
    return keys
  }

  // MARK: At the end

  /// Checks that the server has each transaction that had to reach it exactly once, with those of each client in
  /// order.
  static func checkTransactionsAreThere(_ objects: ObjectStore, _ ledger: Ledger) throws {
    let found = try keys(objects, SimulationSchema.journal)
    var due = 0
    for transaction in ledger.transactions {
      let isThere = found.contains(transaction.key)
      switch transaction.fate {
      case .committed where !isThere:
        throw SimulationFailure("the server does not have the committed transaction \(transaction.key)")
      case .lost where isThere:
        throw SimulationFailure("the server has \(transaction.key), which its device has lost")
      default: break
      }
      if isThere { due += 1 }
    }
    guard found.count == due else {
      throw SimulationFailure("the server has \(found.count) transactions, \(due) of them real")
    }
    try checkBoard(objects, ledger, found)
  }

  private static func checkBoard(_ objects: ObjectStore, _ ledger: Ledger, _ found: Set<String>) throws {
    guard let table = try objects.table(named: SimulationSchema.board),
      let row = try objects.row(of: SimulationSchema.theBoard.key, in: table),
      let log = table.column(named: "log"), let hits = table.column(named: "hits")
    else {
      if found.isEmpty { return }
      throw SimulationFailure("the server has no board")
    }
    var keys: [String] = []
    for case .string(let key) in try objects.listValues(row: row, log) { keys.append(key) }
    let repeatable = Set(ledger.transactions.filter(\.mayRepeat).map(\.key))
    let single = keys.filter { !repeatable.contains($0) }
    guard Set(single).count == single.count, Set(keys) == found else {
      throw SimulationFailure(
        "the board's log has \(keys.count) entries for \(found.count) transactions: missing "
          + "\(found.subtracting(keys).sorted().prefix(5)), too many \(Set(keys).subtracting(found).sorted().prefix(5))"
      )
    }
    let position = Dictionary(uniqueKeysWithValues: single.enumerated().map { ($1, $0) })
    var last: [Int: (key: String, position: Int)] = [:]
    for transaction in ledger.transactions {
      guard let position = position[transaction.key] else { continue }
      if let last = last[transaction.client], last.position > position {
        throw SimulationFailure("\(transaction.key) is before \(last.key) in the board's log")
      }
      last[transaction.client] = (transaction.key, position)
    }
    guard case .int(let count) = try objects.value(row: row, hits), count >= found.count,
      count <= found.count + repeatable.count
    else {
      throw SimulationFailure(
        "the board counts \(try objects.value(row: row, hits)) hits of \(found.count) transactions"
      )
    }
  }

  /// Checks that a client has exactly the objects that its view selects on the server.
  ///
  /// - Returns: A description of the difference; nil if there is none.
  static func difference(
    _ client: ObjectStore,
    _ view: ItemView,
    role: ItemRole,
    hasMemos: Bool,
    server: ObjectStore
  ) throws -> String? {
    for className in SimulationSchema.topLevelClasses {
      var expected = try contents(server, className) { row, table in
        switch className {
        case SimulationSchema.item: try isVisible(fields(server, row, table), view, role)
        case SimulationSchema.memo: hasMemos
        default: true
        }
      }
      if className == SimulationSchema.item {
        expected = expected.mapValues { $0.filter { !role.hides($0) } }
      }
      let found = try contents(client, className) { _, _ in true }
      guard found != expected else { continue }
      for key in Set(found.keys).union(expected.keys).sorted(by: { "\($0)" < "\($1)" })
      where found[key] != expected[key] {
        return "\(className) \(key): " + describe(found[key], expected[key])
      }
    }
    return nil
  }

  private static func isVisible(_ fields: ItemView.Fields, _ view: ItemView, _ role: ItemRole) -> Bool {
    view.matches(fields) && role.canRead(fields)
  }

  /// Describes what is present in only one of two states of an object.
  private static func describe(_ client: [Instruction]?, _ server: [Instruction]?) -> String {
    guard let client else { return "the client does not have it" }
    guard let server else { return "the client has it, and it is not in its view" }
    let difference = server.difference(from: client)
    let ours = difference.removals.map { "\($0)" }.joined(separator: ", ")
    let theirs = difference.insertions.map { "\($0)" }.joined(separator: ", ")
    return "the client has \(ours); the server \(theirs)".replacing("FlexSyncChangeset.", with: "")
      .replacing("FlexSyncModel.", with: "")
  }

  private static func contents(
    _ objects: ObjectStore,
    _ className: String,
    where isIncluded: (Int64, ClassTable) throws -> Bool
  ) throws -> [PrimaryKey: [Instruction]] {
    guard let table = try objects.table(named: className) else { return [:] }
    var result: [PrimaryKey: [Instruction]] = [:]
    for row in try objects.rows(table) where try isIncluded(row, table) {
      guard let key = try objects.key(of: row, in: table) else { continue }
      result[key] = try objects.fullState(of: row, in: table)
    }
    return result
  }

  private static func fields(_ objects: ObjectStore, _ row: Int64, _ table: ClassTable) throws
    -> ItemView.Fields
  {
    var fields = ItemView.Fields()
    for column in table.columns where column.isSingle {
      fields.set(column.schema.name, try objects.storedValue(row: row, column))
    }
    return fields
  }
}

extension ItemRole {
  /// Returns whether an instruction sets a property that the user may not see.
  func hides(_ instruction: Instruction) -> Bool { instruction.field.map(hiddenFields.contains) ?? false }
}
