// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncRules

// The relation between places inside objects and sets of properties.

extension FieldAccess {
  /// The relation of a place to a set of properties.
  enum Reach: Hashable {
    case inside
    case outside(PropertyPath)
    /// A place that holds embedded objects, only some of whose properties are in the set: the given ones.
    case container(FieldAccess)
  }

  /// Returns the relation of a place to the set. For a place outside it, this includes the path of the outermost
  /// property that is outside.
  func reach(_ path: PropertyPath) -> Reach {
    var access = self
    var name = path.field
    var position = 0
    while let part = access.parts[name] {
      while position < path.path.count, case .index = path.path[position] { position += 1 }
      if part.isKeyed { position += 1 }
      guard position < path.path.count, case .name(let next) = path.path[position] else {
        return .container(part.fields)
      }
      (access, name, position) = (part.fields, next, position + 1)
    }
    if access.includesWholly(name) { return .inside }
    let steps = Array(path.path.prefix(position))
    return .outside(PropertyPath(object: path.object, field: path.field, path: steps))
  }

  /// Whether a place is an entry in a dictionary of embedded objects, only some of whose properties are in the set.
  func hasEntry(_ path: PropertyPath) -> Bool {
    guard case .container(let part) = reach(path), case .name? = path.path.last else { return false }
    // All objects in a dictionary have the same properties in the set.
    let around = PropertyPath(object: path.object, field: path.field, path: Array(path.path.dropLast()))
    return reach(around) == .container(part)
  }

  /// Whether a place is in the set, or holds embedded objects some of whose properties are.
  func includes(_ path: PropertyPath) -> Bool {
    if case .outside = reach(path) { false } else { true }
  }
}

extension PropertyPath {
  /// The names on the path, joined by dots, without indexes.
  package var dottedName: String {
    let steps = path.compactMap { step -> String? in if case .name(let name) = step { name } else { nil } }
    return ([field] + steps).joined(separator: ".")
  }

  func isAt(orInside other: PropertyPath) -> Bool {
    object == other.object && field == other.field && path.starts(with: other.path)
  }
}
