// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules

/// The `permissions` of `sync/config.json`, which held the rules of sync before 2023. They are migrated in the same
/// way as App Services did ("Unified Rules System"): `defaultRoles` become the default roles and `rules` the roles of
/// collections, `applyWhen` becomes `apply_when`, and `read` and `write` become the document filters. The role is
/// then granted read, write, insert and delete.
struct LegacyPermissions {
  /// The `permissions` node.
  let node: ConfigurationNode

  /// Returns nil if there are no permissions; newer exports may contain the key with an empty value.
  init?(_ sync: ConfigurationNode) {
    guard let node = sync.member("permissions") else { return nil }
    let parts = [node.value["defaultRoles"], node.value["rules"]]
    let isEmpty = parts.allSatisfy { part in
      part == nil || part == .null || part == .array([]) || part == .object([])
    }
    guard !isEmpty else { return nil }
    self.node = node
  }

  func defaultRoles() -> [Role] { RoleReader.roles(node.member("defaultRoles").map(migrated)) }

  /// Returns the roles by the name of the collection or of its class.
  func collectionRoles() -> [(name: String, roles: [Role])] {
    guard let rules = node.member("rules") else { return [] }
    let collections = rules.members()
    if !collections.isEmpty, node.member("defaultRoles")?.value.arrayValue?.isEmpty == false {
      rules.warning(
        "before 2023, users to whom no role of a class applied got a default role; now, as after App Services' "
          + "own migration, they have no access to that class. If they need access, add the default roles to the "
          + "class"
      )
    }
    return collections.map { ($0.name, RoleReader.roles(migrated($0.node))) }
  }

  private func migrated(_ list: ConfigurationNode) -> ConfigurationNode {
    guard case .array(let roles) = list.value else { return list }
    return list.replaced(by: .array(roles.map(LegacyPermissions.migrated)))
  }

  private static func migrated(_ role: JSON) -> JSON {
    guard case .object(let members) = role else { return role }
    var result = members.filter { !["applyWhen", "read", "write"].contains($0.name) }
    if let applyWhen = role["applyWhen"] { result.append(JSON.Member("apply_when", applyWhen)) }
    result.append(
      JSON.Member(
        "document_filters",
        ["read": role["read"] ?? false, "write": role["write"] ?? false]
      )
    )
    // Permissions of the document would override those of its fields.
    let hasFields = role["fields"] != nil || role["additional_fields"] != nil
    for name in ["read", "write", "insert", "delete", "search"] {
      let isOfDocument = name == "read" || name == "write"
      if role[name] == nil || isOfDocument, !(isOfDocument && hasFields) {
        result.append(JSON.Member(name, true))
      }
    }
    return .object(result)
  }
}
