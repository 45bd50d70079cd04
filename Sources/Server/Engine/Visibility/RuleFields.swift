// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncQuery
import FlexSyncRules
import FlexSyncServerStore

/// The stored set of fields that permissions examine. History images must contain them in addition to the queryable
/// fields.
struct RuleFields {
  private static let name = "rule_fields"

  let store: ServerStore

  /// Returns the fields, by class name.
  func read() throws -> [String: Set<String>] {
    guard let text = try store.textSetting(RuleFields.name) else { return [:] }
    let members = try JSON.parse(text).objectValue ?? []
    return Dictionary(
      members.map { ($0.name, Set($0.value.arrayValue?.compactMap(\.stringValue) ?? [])) },
      uniquingKeysWith: { $0.union($1) }
    )
  }

  /// Stores the fields. Must be called inside a write.
  func write(_ fields: [String: Set<String>]) throws {
    let members = fields.sorted { $0.key < $1.key }.map { name, fields in
      JSON.Member(name, .array(fields.sorted().map(JSON.string)))
    }
    try store.set(RuleFields.name, to: JSON.object(members).serialized)
  }
}

extension Permissions {
  /// The fields needed to decide about objects, by class name.
  var ruleFields: [String: Set<String>] {
    classes.mapValues { permission in
      permission.predicates.reduce(into: []) { $0.formUnion($1.rootProperties) }
    }.filter { !$0.value.isEmpty }
  }
}

extension ClassPermission {
  /// All predicates that objects are judged by.
  var predicates: [Predicate] { [read, write, insert, delete] }
}
