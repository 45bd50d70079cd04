// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Finds changes that Realm's clients fail on, on every device that receives them: dictionary keys that none of them
/// accepts, and strings that are not UTF-8.
struct UnfitContents {
  let schema: Schema

  /// Returns the refusals by the object that contains such a thing, one per object.
  func refusals(in instructions: [Instruction]) -> [ObjectReference: WriteRefusal] {
    var found: [ObjectReference: WriteRefusal] = [:]
    for instruction in instructions {
      guard let path = instruction.path else { continue }
      if path.path.contains(where: isSuspect), let key = key(on: path) {
        found[path.object] = .unfitKey(key, in: path.object)
      } else if instruction.writesMalformedString {
        found[path.object] = .malformedString(in: path)
      }
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

extension Instruction {
  fileprivate var writesMalformedString: Bool {
    switch self {
    case .update(_, .value(.malformedString), _), .arrayInsert(_, .value(.malformedString), _),
      .setInsert(_, .value(.malformedString)):
      true
    default: false
    }
  }
}
