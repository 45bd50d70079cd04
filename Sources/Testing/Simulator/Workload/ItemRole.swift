// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// What a client's user may see and do with items: a role, and the same once more in Swift, so that what the server
/// allows is judged by something that is not its rules.
struct ItemRole: Sendable {
  /// The items that may be seen.
  let read: String
  /// The items that may be changed.
  let write: String
  let canRead: @Sendable (ItemView.Fields) -> Bool
  /// Properties that may not be seen, and so not be written either.
  var hiddenFields: Set<String> = []
  /// Properties that may only be read, besides.
  var readOnlyFields: Set<String> = []
  var insert = true
  var delete = true

  static let all: [ItemRole] = [
    ItemRole(read: "TRUEPREDICATE", write: "TRUEPREDICATE", canRead: { _ in true }),
    ItemRole(
      read: #"owner == "ada" OR owner == nil"#,
      write: #"owner == "ada" OR owner == nil"#,
      canRead: { $0.owner == "ada" || $0.owner == nil }
    ),
    ItemRole(
      read: "level <= 6",
      write: "level <= 3",
      canRead: { $0.level <= 6 },
      delete: false
    ),
    ItemRole(
      read: "TRUEPREDICATE",
      write: "TRUEPREDICATE",
      canRead: { _ in true },
      hiddenFields: ["title", "stops", "sites", "remark"],
      readOnlyFields: ["names"]
    ),
    ItemRole(
      read: #"done == false OR owner == "bob""#,
      write: "FALSEPREDICATE",
      canRead: { !$0.isDone || $0.owner == "bob" },
      hiddenFields: ["options"],
      insert: false
    ),
  ]

  /// Whether everything may be seen and done.
  var isOpen: Bool {
    self.read == "TRUEPREDICATE" && write == read && hiddenFields.isEmpty && readOnlyFields.isEmpty
  }

  /// The role as the server has it.
  func permission(number: Int, schema: Schema) throws -> ClassPermission {
    let fields = Set(schema[SimulationSchema.item]?.properties.map(\.name) ?? [])
    let validator = SyncQueryValidator(
      schema: schema,
      policy: SyncQueryPolicy(queryableFields: [SimulationSchema.item: fields])
    )
    return ClassPermission(
      role: "role\(number)",
      read: try validator.predicate(className: SimulationSchema.item, text: read),
      write: try validator.predicate(className: SimulationSchema.item, text: write),
      insert: insert ? .always : .never,
      delete: delete ? .always : .never,
      readableFields: .allExcept(hiddenFields),
      writableFields: .allExcept(hiddenFields.union(readOnlyFields))
    )
  }
}
