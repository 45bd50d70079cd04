// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// A value of a statement's parameter.
protocol StatementValue {
  func bind(to statement: Statement, at parameter: Int32)
}

extension Int64: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension UInt64: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension Int: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) { statement.bind(Int64(self), at: parameter) }
}

extension Bool: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) {
    statement.bind(self ? 1 : 0 as Int64, at: parameter)
  }
}

extension String: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension [UInt8]: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension Optional: StatementValue where Wrapped: StatementValue {
  func bind(to statement: Statement, at parameter: Int32) {
    if let self { self.bind(to: statement, at: parameter) } else { statement.bindNull(at: parameter) }
  }
}

extension Statement {
  /// Binds the values to the parameters from the first on.
  fileprivate func bind(_ values: [any StatementValue]) {
    for (index, value) in values.enumerated() { value.bind(to: self, at: Int32(index + 1)) }
  }

  /// Returns the column as a flag.
  func flag(_ column: Int32) -> Bool { int(column) != 0 }

  /// Returns the column as an integer, or nil if it is null.
  func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

  /// Returns the column as an unsigned integer, or nil if it is null.
  func optionalUnsigned(_ column: Int32) -> UInt64? { isNull(column) ? nil : unsigned(column) }
}

/// Statements that are prepared once, and run with values for their parameters.
extension Database {
  /// Runs a statement whose rows do not matter.
  func run(_ sql: String, _ values: [any StatementValue] = []) throws {
    try withStatement(sql) { statement in
      statement.bind(values)
      try statement.run()
    }
  }

  /// Runs a statement to its end, and returns what `read` makes of each row.
  func rows<Row>(_ sql: String, _ values: [any StatementValue] = [], read: (Statement) throws -> Row) throws
    -> [Row]
  {
    try withStatement(sql) { statement in
      statement.bind(values)
      var rows: [Row] = []
      while try statement.step() { rows.append(try read(statement)) }
      return rows
    }
  }

  /// Returns what `read` makes of the first row; nil if there is none.
  func firstRow<Row>(_ sql: String, _ values: [any StatementValue] = [], read: (Statement) throws -> Row)
    throws
    -> Row?
  {
    try withStatement(sql) { statement in
      statement.bind(values)
      return try statement.step() ? try read(statement) : nil
    }
  }
}
