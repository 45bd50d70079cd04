// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A value of a statement's parameter.
package protocol StatementValue {
  func bind(to statement: Statement, at parameter: Int32)
}

extension Int64: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension UInt64: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension Int: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) {
    statement.bind(Int64(self), at: parameter)
  }
}

extension Bool: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) {
    statement.bind(self ? 1 : 0 as Int64, at: parameter)
  }
}

extension String: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension [UInt8]: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension ObjectId: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) { statement.bind(self, at: parameter) }
}

extension Optional: StatementValue where Wrapped: StatementValue {
  package func bind(to statement: Statement, at parameter: Int32) {
    if let self { self.bind(to: statement, at: parameter) } else { statement.bindNull(at: parameter) }
  }
}

extension Statement {
  /// Binds the values to the parameters from the first on.
  fileprivate func bind(_ values: [any StatementValue]) {
    for (index, value) in values.enumerated() { value.bind(to: self, at: Int32(index + 1)) }
  }

  /// Returns the column as a flag.
  package func flag(_ column: Int32) -> Bool { int(column) != 0 }

  /// Returns the column as an integer, or nil if it is null.
  package func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

  /// Returns the column as an unsigned integer, or nil if it is null.
  package func optionalUnsigned(_ column: Int32) -> UInt64? { isNull(column) ? nil : unsigned(column) }
}

/// Statements that are prepared once, and run with values for their parameters.
extension Database {
  /// Runs a statement whose rows do not matter.
  package func run(_ sql: String, _ values: [any StatementValue] = []) throws {
    try withStatement(sql) { statement in
      statement.bind(values)
      try statement.run()
    }
  }

  /// Runs a statement to its end, and returns what `read` makes of each row.
  package func rows<Row>(_ sql: String, _ values: [any StatementValue] = [], read: (Statement) throws -> Row)
    throws
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
  package func firstRow<Row>(
    _ sql: String,
    _ values: [any StatementValue] = [],
    read: (Statement) throws -> Row
  )
    throws
    -> Row?
  {
    try withStatement(sql) { statement in
      statement.bind(values)
      return try statement.step() ? try read(statement) : nil
    }
  }
}
