// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// The permissions of a client's user for items: a role, and the same conditions repeated in Swift, so that the
/// server's decisions are checked by something other than its rules.
struct ItemRole: Sendable {
  /// The query for the items that may be read.
  let read: String
  /// The query for the items that may be written.
  let write: String
  let canRead: @Sendable (ItemView.Fields) -> Bool
  /// Properties that may not be read, and therefore not be written either.
  var hiddenFields: Set<String> = []
  /// Further properties, which may only be read.
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

  /// Whether the role grants full access.
  var isOpen: Bool {
    self.read == "TRUEPREDICATE" && write == read && hiddenFields.isEmpty && readOnlyFields.isEmpty
  }

  /// Returns the role in the server's form.
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
