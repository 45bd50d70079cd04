// SPDX-License-Identifier: Apache-2.0

extension Database {
  /// Reads the whole file and looks for damage.
  ///
  /// - Returns: What is wrong, in SQLite's words; empty if nothing is. At most ten entries.
  public func integrityProblems() throws -> [String] {
    try withStatement("PRAGMA integrity_check(10)") { statement in
      var problems: [String] = []
      while try statement.step() { problems.append(statement.text(0)) }
      return problems == ["ok"] ? [] : problems
    }
  }
}
