// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Checks whether a place can hold a value, and converts values to the form that the app sees.
extension ObjectStore {
  /// Checks a value before it is written to a column, or to a collection in it.
  ///
  /// - Throws: `ObjectError` if the value does not fit.
  func checkFit(_ value: Value, _ column: Column) throws {
    if let reason = column.refusal(of: value) { throw ObjectError(reason) }
    if column.storage.type == .link, case .link(let link) = value, link.key == .null {
      try checkKey(.null, try requireTable(link.className))
    }
    guard column.storage.type == .mixed else { return }
    try checkMixed(value, depth: column.schema.collection == .single ? 0 : 1)
  }

  /// Checks a value for a place of type mixed.
  ///
  /// - Parameter depth: The number of collections that enclose the place.
  /// - Throws: `ObjectError` for a link to an undeclared, embedded or asymmetric class or with a wrong key type, and for
  ///   collections nested too deeply.
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
    guard table.kind == .topLevel else {
      let kind = table.kind == .embedded ? "embedded" : "asymmetric"
      throw ObjectError(.wrongPath("a link to an object of the \(kind) class '\(link.className)'"))
    }
    try checkKey(link.key, table)
  }

  /// Returns a value as the app sees it: dangling links become null, including those inside nested collections.
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
