// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A kind of vector file, and how to run it.
public enum VectorKind: String, CaseIterable, Sendable {
  case changesets
  case badChangesets = "bad_changesets"
  case oddChangesets = "odd_changesets"
  case merge
  case convergence
  case messages
  case badMessages = "bad_messages"
  case queryParsing = "rql_parse"
  case queries = "rql"

  /// Runs every row of a file.
  ///
  /// - Throws: `VectorError` or `JSONError` if the file cannot be read. A problem in a row is recorded as a failure
  ///   of that row.
  public func run(path: String) throws -> VectorReport {
    switch self {
    case .changesets: try VectorReport(rows: VectorFile.rows(path: path), check: ChangesetVectors.check)
    case .badChangesets: try VectorReport(rows: VectorFile.rows(path: path), check: ChangesetVectors.checkBad)
    case .oddChangesets: try VectorReport(rows: VectorFile.rows(path: path), check: ChangesetVectors.checkOdd)
    case .merge: try VectorReport(rows: VectorFile.rows(path: path), check: MergeVectors(path: path).check)
    case .convergence:
      try VectorReport(rows: VectorFile.rows(path: path), check: ConvergenceVectors(path: path).check)
    case .messages: try VectorReport(rows: VectorFile.rows(path: path), check: MessageVectors.check)
    case .badMessages: try VectorReport(rows: VectorFile.rows(path: path), check: MessageVectors.checkBad)
    case .queryParsing: try VectorReport(rows: VectorFile.rows(path: path), check: QueryParseVectors.check)
    case .queries: try QueryVectors.run(path: path)
    }
  }
}

extension VectorReport {
  /// Checks each row. `check` returns the difference, or nil, and notes how it read the row.
  init(rows: [JSON], check: (JSON, inout VectorReport) throws -> String?) {
    self.init()
    for (offset, row) in rows.enumerated() {
      let id = row["id"]?.stringValue ?? "row \(offset + 1)"
      do {
        record(id: id, difference: try check(row, &self))
      } catch {
        record(id: id, difference: "\(error)")
      }
    }
  }
}
