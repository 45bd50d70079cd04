// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// Checks of `rql_parse.jsonl`.
enum QueryParseVectors {
  static func check(_ row: JSON, report: inout VectorReport) throws -> String? {
    let text = try row.text("query")
    let isValid = try row.text("parse") == "valid"
    do throws(QueryError) {
      _ = try Query.parse(text)
      return isValid ? nil : "accepted: \(text)"
    } catch {
      return isValid ? "refused: \(text): \(error)" : nil
    }
  }
}

/// Checks of queries over a data set, answered by the evaluator.
struct QueryVectors {
  /// Runs `rql_semantics.json`, or a file in the format of `rql.jsonl` with `rql_dataset.json` next to it.
  static func run(path: String) throws -> VectorReport {
    var report = VectorReport()
    if path.hasSuffix(".jsonl") {
      try QueryVectors(dataset: QueryDataset(besidePath: path))
        .run(VectorFile.rows(path: path).map { try QueryCase(row: $0) }, &report)
      return report
    }
    for json in try VectorFile.value(path: path).elements("datasets") {
      let (dataset, cases) = try QueryDataset.semantics(json)
      QueryVectors(dataset: dataset).run(cases, &report)
    }
    return report
  }

  let dataset: QueryDataset

  private func run(_ cases: [QueryCase], _ report: inout VectorReport) {
    for row in cases { report.record(id: row.id, difference: difference(row).map { "\(row.query): \($0)" }) }
  }

  private func difference(_ row: QueryCase) -> String? {
    do throws(QueryError) {
      let query = try bind(row.query, row)
      guard row.isAccepted else { return "accepted" }
      return difference(query, row) ?? canonicalDifference(query, row) ?? descriptionDifference(row)
    } catch {
      if row.isAccepted { return error.kind == .unsupported ? "\(error)" : "refused: \(error)" }
      return row.errors.isEmpty || row.errors.contains("\(error.kind)") ? nil : "\(error.kind): \(error)"
    }
  }

  private func bind(_ text: String, _ row: QueryCase) throws(QueryError) -> BoundQuery {
    try Query.parse(text).bind(to: dataset.schema, className: row.className, arguments: row.arguments)
  }

  private func difference(_ query: BoundQuery, _ row: QueryCase) -> String? {
    let keys = dataset.keys(meeting: query)
    guard keys.count == row.count else { return "\(keys.count) objects, expected \(row.count)" }
    guard let expected = row.keys else { return nil }
    if row.isOrdered { return keys == expected ? nil : "order \(keys), expected \(expected)" }
    return Set(keys) == Set(expected) ? nil : "objects \(keys), expected \(expected)"
  }

  /// Checks that our canonical text means the same query.
  private func canonicalDifference(_ query: BoundQuery, _ row: QueryCase) -> String? {
    do throws(QueryError) {
      let text = query.canonicalText
      return try bind(text, row) == query ? nil : "canonical text '\(text)' is another query"
    } catch {
      return "canonical text '\(query.canonicalText)' is refused: \(error)"
    }
  }

  /// Checks that the reference's canonical text finds the same objects, if the reference itself can read it.
  private func descriptionDifference(_ row: QueryCase) -> String? {
    guard let description = row.description else { return nil }
    do throws(QueryError) {
      return difference(try bind(description, row), row).map { "description '\(description)': \($0)" }
    } catch {
      return "description '\(description)' is refused: \(error)"
    }
  }
}
