// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct SemanticsTests {
  private static let errorNames: [QueryError.Kind: String] = [
    .syntax: "SyntaxError", .query: "InvalidQueryError", .argument: "InvalidQueryArgError",
  ]

  @Test func answersLikeTheReference() throws {
    let dataset = try VectorDataset.load()
    var wrong: [String] = []
    for row in try VectorFiles.rows(of: "rql.jsonl") {
      let text = try #require(row["query"]?.stringValue)
      do throws(QueryError) {
        let arguments = (row["args"]?.arrayValue ?? []).compactMap(VectorValues.value)
        let query = try Query.parse(text).bind(
          to: dataset.schema,
          className: row["class"]?.stringValue ?? "",
          arguments: arguments.map { .value($0) }
        )
        if row["accepted"]?.boolValue != true || row["refused_by_flexsync"] != nil {
          wrong.append("accepted: \(text)")
        }
        let keys = dataset.evaluate(query)
        let expected = Set(
          (row["pks"]?.arrayValue ?? []).compactMap(VectorValues.value).compactMap(PrimaryKey.init)
        )
        if keys.count != expected.count || query.options.isEmpty && Set(keys) != expected {
          wrong.append("\(text): \(keys.count) instead of \(expected.count)")
        }
      } catch {
        let expected = row["error"]?.stringValue
        if let reason = row["refused_by_flexsync"]?.stringValue {
          if !error.message.hasSuffix(reason) { wrong.append("\(text): \(error)") }
        } else if row["accepted"]?.boolValue == true {
          wrong.append("refused: \(text): \(error)")
        } else if expected != "other", expected != "\(error.kind)" {
          wrong.append("\(text): \(error.kind) instead of \(expected ?? ""): \(error)")
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func answersLikeTheReferenceOnItsOwnDataSets() throws {
    var wrong: [String] = []
    for file in try SemanticsFile.load() {
      for row in file.cases {
        let title = "\(file.name): \(row.text)"
        do throws(QueryError) {
          let query = try Query.parse(row.text).bind(
            to: file.dataset.schema,
            className: row.className,
            arguments: row.arguments
          )
          if row.expected["error"] != nil { wrong.append("accepted: \(title)") }
          let keys = file.dataset.evaluate(query)
          if let expected = file.keys(row.expected["ordered_ids"]), keys != expected {
            wrong.append("\(title): \(keys) instead of \(expected)")
          }
          if let expected = file.keys(row.expected["ids"]), Set(keys) != Set(expected) {
            wrong.append("\(title): \(keys) instead of \(expected)")
          }
        } catch {
          if Self.errorNames[error.kind] != row.expected["error"]?.stringValue {
            wrong.append("refused: \(title): \(error.kind) \(error)")
          }
        }
      }
    }
    #expect(wrong == [])
  }
}
