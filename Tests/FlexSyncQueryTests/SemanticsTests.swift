// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct SemanticsTests {
  /// Rows that the reference resolves against the stored objects while binding, or that concern embedded objects.
  private static let knownDifferences: Set<String> = [
    "link == obj('Thing', 999)", "link == obj('Task', 1)",
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
          to: dataset.schema, className: row["class"]?.stringValue ?? "",
          arguments: arguments.map { .value($0) })
        if row["accepted"]?.boolValue != true { wrong.append("accepted: \(text)") }
        let keys = dataset.evaluate(query)
        let expected = Set((row["pks"]?.arrayValue ?? []).compactMap(VectorValues.value).compactMap(PrimaryKey.init))
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
}
