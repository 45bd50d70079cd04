// SPDX-License-Identifier: Apache-2.0

extension Database {
  /// Reads the entire file and checks it for damage.
  ///
  /// - Returns: The problems as worded by SQLite, at most ten; empty if there are none.
  public func integrityProblems() throws -> [String] {
    try withStatement("PRAGMA integrity_check(10)") { statement in
      var problems: [String] = []
      while try statement.step() { problems.append(statement.text(0)) }
      return problems == ["ok"] ? [] : problems
    }
  }
}
