// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct SemanticsTests {
  private static let errorNames: [QueryError.Kind: String] = [
    .syntax: "SyntaxError", .query: "InvalidQueryError", .argument: "InvalidQueryArgError",
  ]

  /// Rows that the reference resolves against the stored objects while binding.
  private static let knownDifferences: Set<String> = [
    "link == obj('Thing', 999)", "link == obj('Task', 1)",
    // One constant beside an indexed property behind a list of links is looked up in the index: ANY.
    "items.name IN {\"oranges\"}",
    // The data set holds nested collections, which the test reads as null.
    "val IN {1, \"two\", null}",
  ]

  @Test func answersLikeTheReference() throws {
    let dataset = try VectorDataset.load()
    var wrong: [String] = []
    var unsupported: [String] = []
    for row in try VectorFiles.rows(of: "rql.jsonl") {
      let text = try #require(row["query"]?.stringValue)
      guard !Self.knownDifferences.contains(text) else { continue }
      do throws(QueryError) {
        let arguments = (row["args"]?.arrayValue ?? []).compactMap(VectorValues.value)
        let query = try Query.parse(text).bind(
          to: dataset.schema,
          className: row["class"]?.stringValue ?? "",
          arguments: arguments.map { .value($0) }
        )
        if row["accepted"]?.boolValue != true { wrong.append("accepted: \(text)") }
        let keys = dataset.evaluate(query)
        let expected = Set(
          (row["pks"]?.arrayValue ?? []).compactMap(VectorValues.value).compactMap(PrimaryKey.init)
        )
        if query.options.isEmpty, Set(keys) != expected {
          wrong.append("\(text): \(keys.count) instead of \(expected.count)")
        }
      } catch {
        if error.kind == .unsupported {
          unsupported.append("\(text): \(error)")
        } else if row["accepted"]?.boolValue == true {
          wrong.append("refused: \(text): \(error)")
        } else if row["error"]?.stringValue != "\(error.kind)" {
          wrong.append("\(text): \(error.kind) instead of \(row["error"]?.stringValue ?? ""): \(error)")
        }
      }
    }
    print(unsupported.joined(separator: "\n"))
    #expect(wrong == [])
  }

  @Test func answersLikeTheReferenceOnItsOwnDataSets() throws {
    var wrong: [String] = []
    var unsupported: [String] = []
    for file in try SemanticsFile.load() {
      for row in file.cases where !Self.knownDifferences.contains(row.text) {
        let title = "\(file.name): \(row.text)"
        let expectedError = row.expected["error"]?.stringValue
        do throws(QueryError) {
          let query = try Query.parse(row.text).bind(
            to: file.dataset.schema,
            className: row.className,
            arguments: row.arguments
          )
          let keys = file.dataset.evaluate(query)
          if expectedError != nil {
            wrong.append("accepted: \(title)")
          } else if query.options.isEmpty, let expected = file.keys(row.expected["ids"]),
            Set(keys) != Set(expected)
          {
            wrong.append("\(title): \(keys) instead of \(expected)")
          }
        } catch {
          if error.kind == .unsupported {
            unsupported.append("\(title): \(error)")
          } else if Self.errorNames[error.kind] != expectedError {
            wrong.append("refused: \(title): \(error.kind) \(error)")
          }
        }
      }
    }
    print(unsupported.joined(separator: "\n"))
    #expect(wrong == [])
  }
}
