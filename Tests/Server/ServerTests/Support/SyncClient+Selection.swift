// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore
import Testing

extension SyncClient {
  /// Compares the rows of the client with what its active query set selects on the server.
  func expectWhatItSelects(_ words: String) throws {
    let state = try harness.openState()
    let validator = SyncQueryValidator(
      schema: TaskTracker.schema,
      policy: SyncQueryPolicy(queryableFields: [
        "Task": ["assignee", "completed", "dueDate", "progressMinutes", "taskName"],
        "Team": ["members", "teamName"],
      ])
    )
    let queries = try QuerySetText(queryBody)
    for className in ["Task", "Team"] {
      var expected: [PrimaryKey: [Instruction]] = [:]
      if let text = queries.text(of: className) {
        let predicate = try validator.predicate(className: className, text: text)
        expected = try state.contents(of: className) { row, table in
          predicate.matches(try StoredRow(state, row, table))
        }
      }
      let found = try objects.contents(of: className)
      #expect(
        found == expected,
        "\(words), client \(file?.ident ?? 0), \(className), \(queryBody)"
      )
    }
  }
}
