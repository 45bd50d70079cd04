// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Values as a whole: whether a place can hold them, and what the app sees of them.
extension ObjectStore {
  /// Checks a value that is to be written to a column, or into a collection of it.
  ///
  /// - Throws: `ObjectError` if it does not fit.
  func checkFit(_ value: Value, _ column: Column) throws {
    if let reason = column.refusal(of: value) { throw ObjectError(reason) }
    guard column.storage.type == .mixed else { return }
    try checkMixed(value, depth: column.schema.collection == .single ? 0 : 1)
  }

  /// Checks a value for a place of type mixed.
  ///
  /// - Parameter depth: the number of collections around the place.
  /// - Throws: `ObjectError` for links that lead nowhere and for too many levels.
  func checkMixed(_ value: Value, depth: Int) throws {
    if value.isCollection, depth >= MixedCoding.greatestDepth {
      throw ObjectError(.nestedTooDeeply(limit: MixedCoding.greatestDepth))
    }
    switch value {
    case .link(let link): try checkMixedLink(link)
    case .list(let elements):
      for element in elements { try checkMixed(element, depth: depth + 1) }
    case .dictionary(let entries):
      for entry in entries { try checkMixed(entry.value, depth: depth + 1) }
    default: break
    }
  }

  private func checkMixedLink(_ link: Link) throws {
    let table = try requireTable(link.className)
    guard table.kind != .embedded else {
      throw ObjectError(.wrongPath("a link to an object of the embedded class '\(link.className)'"))
    }
    try checkKey(link.key, table)
  }

  /// A value as the app sees it: dangling links are null, also inside of nested collections.
  public func visible(_ value: Value) throws -> Value {
    switch value {
    case .link(let link):
      try row(of: ObjectReference(table: link.className, key: link.key)) == nil ? .null : value
    case .list(let elements): .list(try elements.map(visible))
    case .dictionary(let entries):
      .dictionary(try entries.map { DictionaryEntry($0.key, try visible($0.value)) })
    default: value
    }
  }
}
