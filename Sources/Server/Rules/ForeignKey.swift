// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// What a document has in the place of a link: the primary key of the object that the link leads to. Rules compare with
/// it, whether or not there is such an object, as MongoDB does.
package struct ForeignKey {
  /// The class that the link leads to.
  let className: String
  package let primaryKey: PropertySchema

  /// The link in the place of which a document has a value; nil if no link has.
  func link(_ value: Value) -> Value? {
    value.matchable(as: primaryKey.type).flatMap(PrimaryKey.init).map(link(to:))
  }

  /// The link in the place of which a document has null, beside no link at all; nil if there is none.
  var linkToNull: Value? { primaryKey.isNullable ? link(to: .null) : nil }

  private func link(to key: PrimaryKey) -> Value { .link(Link(className: className, key: key)) }
}

extension Schema {
  /// What documents have in the place of a property, or of each element of a list or set. Nil for what is no link, for
  /// embedded objects, and for dictionaries, which are documents inside of documents.
  package func foreignKey(of property: PropertySchema) -> ForeignKey? {
    guard property.type == .link, property.collection != .dictionary, let className = property.linkTarget,
      let target = self[className], target.kind == .topLevel, let primaryKey = target.primaryKey
    else { return nil }
    return ForeignKey(className: className, primaryKey: primaryKey)
  }
}
