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
    /// Nil if the query is refused.
    let keys: Set<PrimaryKey>?
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
      let query = try Query.parse(row.query)
        .bind(to: dataset.schema, className: row.className, arguments: row.arguments)
      guard let expected = row.keys else { return "accepted" }
      return difference(query, row, expected)
    } catch {
      if row.keys != nil { return error.kind == .unsupported ? "\(error)" : "refused: \(error)" }
      return row.errors.isEmpty || row.errors.contains("\(error.kind)") ? nil : "\(error.kind): \(error)"
    }
  }

  private func difference(_ query: BoundQuery, _ row: Case, _ expected: Set<PrimaryKey>) -> String? {
    let keys = dataset.keys(meeting: query.predicate, of: row.className)
    for step in query.options.steps {
      if case .sort = step { continue }
      return "DISTINCT and LIMIT are not supported by this runner yet"
    }
    guard keys.count == row.count, expected.isEmpty || keys == expected else {
      return "\(keys.count) objects, expected \(row.count)"
    }
    return nil
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
      (keys, count) = (nil, 0)
      let error = try row.text("error")
      errors = error == "other" ? [] : [error]
      return
    }
    keys = Set(try row.elements("pks").map { key throws(VectorError) in try PrimaryKey(vector: key) })
    count = try row.number("count")
    errors = []
  }
}

/// Objects in memory as the evaluator sees them.
final class QueryDataset {
  let schema: Schema
  private let state: ModelState

  init(schema: Schema, state: ModelState) {
    self.schema = schema
    self.state = state
  }

  /// The data set of a file in the format of `rql.jsonl`.
  convenience init(besidePath path: String) throws {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let json = try VectorFile.value(path: folder + "rql_dataset.json")
    self.init(
      schema: try Schema(vector: json.field("schema")),
      state: try ModelState(vector: json.field("objects"))
    )
  }

  func keys(meeting predicate: Predicate, of className: String) -> Set<PrimaryKey> {
    let keyName = schema[className]?.primaryKey?.name
    let matching = (state.objects[className] ?? [:]).filter { key, fields in
      predicate.matches(QueryRow(key: key, keyName: keyName, fields: fields, dataset: self))
    }
    return Set(matching.keys)
  }

  fileprivate func row(of link: Link) -> QueryRow? {
    state.objects[link.className]?[link.key].map {
      QueryRow(key: link.key, keyName: schema[link.className]?.primaryKey?.name, fields: $0, dataset: self)
    }
  }
}

private struct QueryRow: PredicateRow {
  let key: PrimaryKey
  let keyName: String?
  let fields: [String: ModelState.Node]
  let dataset: QueryDataset

  func value(of property: String) -> Value {
    if property == keyName { return key.value ?? .null }
    guard case .scalar(let value) = fields[property] else { return .null }
    return value
  }

  func elements(of property: String) -> [Value] {
    switch fields[property] {
    case .list(let nodes):
      nodes.map { node in
        if case .scalar(let value) = node { value } else { .null }
      }
    case .set(let values): Array(values)
    default: []
    }
  }

  func target(of link: Link) -> QueryRow? { dataset.row(of: link) }
}
