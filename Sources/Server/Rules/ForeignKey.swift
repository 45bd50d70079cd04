// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The primary key of a link's target, which a document stores in place of the link. Rules compare with it whether or
/// not the target exists, as MongoDB does.
package struct ForeignKey {
  /// The class of the link's target.
  let className: String
  package let primaryKey: PropertySchema

  /// Returns the link that a document represents by the given value; nil if there is none.
  func link(_ value: Value) -> Value? {
    value.matchable(as: primaryKey.type).flatMap(PrimaryKey.init).map(link(to:))
  }

  /// The link to an object whose primary key is null, which a document also represents by null; nil if keys are not
  /// nullable.
  var linkToNull: Value? { primaryKey.isNullable ? link(to: .null) : nil }

  private func link(to key: PrimaryKey) -> Value { .link(Link(className: className, key: key)) }
}

extension Schema {
  /// Returns the key that documents store for a property, or for each element of a list or set. Nil for properties
  /// that are not links, for embedded objects, and for dictionaries, which are nested documents.
  package func foreignKey(of property: PropertySchema) -> ForeignKey? {
    guard property.type == .link, property.collection != .dictionary, let className = property.linkTarget,
      let target = self[className], target.kind == .topLevel, let primaryKey = target.primaryKey
    else { return nil }
    return ForeignKey(className: className, primaryKey: primaryKey)
  }
}
