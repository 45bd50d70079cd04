// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

extension RealmSchema {
  /// The purpose of a key path, as named in messages.
  enum KeyPathUse: String {
    case sort
    case distinct
  }

  /// Returns the property at the end of a key path such as "owner.name".
  ///
  /// - Throws: `CoreError` QUERY_INVALID.
  func path(_ text: String, of info: ClassInfo, for use: KeyPathUse) throws -> PropertyPath {
    var owner = info.schema
    var links: [LinkStep] = []
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (position, name) in names.enumerated() {
      guard let property = owner.property(named: name) else {
        throw CoreError(
          .queryInvalid,
          "No property '\(name)' found on object type '\(owner.name)' specified in '\(use.rawValue)' clause"
        )
      }
      guard property.collection == .single else {
        throw CoreError(
          .queryInvalid,
          "Cannot \(use.rawValue) on a collection property: '\(text)' of '\(info.name)'"
        )
      }
      if position == names.count - 1 { return PropertyPath(property, of: owner.name, links: links) }
      guard let target = property.linkTarget, let next = schema[target] else {
        throw CoreError(
          .queryInvalid,
          "Property '\(name)' of '\(owner.name)' in the key path '\(text)' is not a link"
        )
      }
      links.append(LinkStep(property, of: owner.name, to: target))
      owner = next
    }
    throw CoreError(.queryInvalid, "A \(use.rawValue) key is empty.")
  }
}
