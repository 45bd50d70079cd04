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
  /// A query and what the reference answered, in a form common to both kinds of files.
  struct Case {
    let id: String
    let className: String
    let query: String
    let arguments: [QueryArgument]
    /// Nil if the query is refused, or if the file names no objects.
    let keys: [PrimaryKey]?
    /// Whether the order of the objects is part of the expectation.
    let isOrdered: Bool
    /// The reference's canonical text.
    let description: String?
    let isAccepted: Bool
    /// The class of error by the name of `QueryError.Kind`; nil for any.
    let errors: Set<String>
    let count: Int
  }

  /// Runs `rql_semantics.json`, or a file in the format of `rql.jsonl` with `rql_dataset.json` beside it.
  static func run(path: String) throws -> VectorReport {
    var report = VectorReport()
    if path.hasSuffix(".jsonl") {
      try QueryVectors(dataset: QueryDataset(besidePath: path))
        .run(VectorFile.rows(path: path).map { try Case(row: $0) }, &report)
      return report
    }
    for json in try VectorFile.value(path: path).elements("datasets") {
      let (dataset, cases) = try QueryDataset.semantics(json)
      QueryVectors(dataset: dataset).run(cases, &report)
    }
    return report
  }

  let dataset: QueryDataset

  private func run(_ cases: [Case], _ report: inout VectorReport) {
    for row in cases { report.record(id: row.id, difference: difference(row).map { "\(row.query): \($0)" }) }
  }

  private func difference(_ row: Case) -> String? {
    do throws(QueryError) {
      let query = try bind(row.query, row)
      guard row.isAccepted else { return "accepted" }
      return difference(query, row) ?? canonicalDifference(query, row) ?? descriptionDifference(row)
    } catch {
      if row.isAccepted { return error.kind == .unsupported ? "\(error)" : "refused: \(error)" }
      return row.errors.isEmpty || row.errors.contains("\(error.kind)") ? nil : "\(error.kind): \(error)"
    }
  }

  private func bind(_ text: String, _ row: Case) throws(QueryError) -> BoundQuery {
    try Query.parse(text).bind(to: dataset.schema, className: row.className, arguments: row.arguments)
  }

  private func difference(_ query: BoundQuery, _ row: Case) -> String? {
    let keys = dataset.keys(meeting: query)
    guard keys.count == row.count else { return "\(keys.count) objects, expected \(row.count)" }
    guard let expected = row.keys else { return nil }
    if row.isOrdered { return keys == expected ? nil : "order \(keys), expected \(expected)" }
    return Set(keys) == Set(expected) ? nil : "objects \(keys), expected \(expected)"
  }

  /// Our canonical text must mean the same query.
  private func canonicalDifference(_ query: BoundQuery, _ row: Case) -> String? {
    do throws(QueryError) {
      let text = query.canonicalText
      return try bind(text, row) == query ? nil : "canonical text '\(text)' is another query"
    } catch {
      return "canonical text '\(query.canonicalText)' is refused: \(error)"
    }
  }

  /// The reference's canonical text must find the same objects, where the reference itself can read it.
  private func descriptionDifference(_ row: Case) -> String? {
    guard let description = row.description else { return nil }
    do throws(QueryError) {
      return difference(try bind(description, row), row).map { "description '\(description)': \($0)" }
    } catch {
      return "description '\(description)' is refused: \(error)"
    }
  }
}

extension QueryVectors.Case {
  /// A row of `rql.jsonl`.
  init(row: JSON) throws(VectorError) {
    id = try row.text("id")
    className = try row.text("class")
    query = try row.text("query")
    arguments = try (row["args"]?.arrayValue ?? []).map { value throws(VectorError) in
      .value(try Value(vector: value))
    }
    guard try row.flag("accepted") else {
      (keys, count, isOrdered, description, isAccepted) = (nil, 0, false, nil, false)
      let error = try row.text("error")
      errors = error == "other" ? [] : [error]
      return
    }
    isAccepted = true
    isOrdered = row["ordered_pks"] != nil
    keys = try row.elements(isOrdered ? "ordered_pks" : "pks").map { key throws(VectorError) in
      try PrimaryKey(vector: key)
    }
    description = row["description_reparses"]?.boolValue == true ? row["description"]?.stringValue : nil
    count = try row.number("count")
    errors = []
  }
}
