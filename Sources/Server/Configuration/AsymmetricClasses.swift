// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules

/// Checks `asymmetric_tables` of `sync/config.json` against the schema. Asymmetric objects may link to other objects,
/// but no object may link to them (protocol §10.2).
struct AsymmetricClasses {
  let node: ConfigurationNode
  let database: DatabaseSchema
  let isDevelopmentMode: Bool

  func check() {
    guard let list = node.member("asymmetric_tables") else { return }
    for name in list.strings() where database.schema[database.classByCollection[name] ?? name] == nil {
      // In development mode, clients declare the schema.
      if !isDevelopmentMode { list.warning("names \"\(name)\", but no collection has a schema for it") }
    }
    for classSchema in database.schema.classes {
      for property in classSchema.properties { check(property, of: classSchema, at: list) }
    }
  }

  private func check(_ property: PropertySchema, of owner: ClassSchema, at list: ConfigurationNode) {
    guard let target = property.linkTarget, database.schema[target]?.kind == .asymmetric else { return }
    list.error(
      "class \"\(target)\" is asymmetric, but field \"\(property.name)\" of class \"\(owner.name)\" is a "
        + "relationship to it; no relationship can refer to asymmetric objects"
    )
  }
}
