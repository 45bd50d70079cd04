// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Finds changes with dictionary keys that Realm's clients fail on. A client that received one could no longer sync.
struct UnfitKeys {
  let schema: Schema

  /// Returns the invalid keys by the object that contains them, one per object.
  func keys(in instructions: [Instruction]) -> [ObjectReference: String] {
    var found: [ObjectReference: String] = [:]
    for instruction in instructions {
      guard let path = instruction.path, path.path.contains(where: isSuspect), let key = key(on: path) else {
        continue
      }
      found[path.object] = key
    }
    return found
  }

  private func isSuspect(_ step: PathElement) -> Bool {
    guard case .name(let name) = step else { return false }
    return !DictionaryKey.isValid(name)
  }

  /// Returns the first invalid dictionary key on a path. The field names of embedded objects are not keys.
  private func key(on path: PropertyPath) -> String? {
    var property = schema[path.object.table]?.property(named: path.field)
    var isInCollection = false
    for step in path.path {
      guard let current = property else { return nil }
      guard case .name(let name) = step else {
        isInCollection = true
        continue
      }
      let isKey = current.type != .link || current.collection == .dictionary && !isInCollection
      if isKey, !DictionaryKey.isValid(name) { return name }
      if isKey {
        isInCollection = true
      } else {
        property = current.linkTarget.flatMap { schema[$0]?.property(named: name) }
        isInCollection = false
      }
    }
    return nil
  }
}
