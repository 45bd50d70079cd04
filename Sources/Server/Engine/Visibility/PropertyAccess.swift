// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncRules

/// A user's access to places inside the objects of a class.
struct PropertyAccess {
  let readable: FieldAccess
  let writable: FieldAccess

  init(permission: ClassPermission) {
    readable = permission.readableFields
    writable = permission.writableFields
  }

  func isForbidden(_ path: PropertyPath) -> Bool { !writable.includes(path) }

  /// Returns the property that may not be written, if a path leads into one; the names of inner properties are joined
  /// by dots.
  func forbiddenName(_ path: PropertyPath) -> String? {
    guard case .outside(let place) = writable.reach(path) else { return nil }
    return place.dottedName
  }

  /// Returns the part of embedded objects that the user may see or write, if an instruction removes such objects and
  /// not all of that part may be written.
  func endangeredPart(by instruction: Instruction) -> FieldAccess? {
    switch instruction {
    // In a dictionary, the object replaces the one under its key; elsewhere, an existing object stays.
    case .update(let path, .object, _): guard writable.hasEntry(path) else { return nil }
    case .update, .clear, .arrayErase: break
    default: return nil
    }
    guard let path = instruction.path, case .container(let part) = writable.reach(path) else { return nil }
    return switch readable.reach(path) {
    case .inside: .all
    case .outside: part
    case .container(let readable): part.union(readable)
    }
  }

  /// Returns an instruction without the indexes on the path to the property that may not be written.
  func placeless(_ instruction: Instruction) -> Instruction {
    guard let path = instruction.path, case .outside(let place) = writable.reach(path) else {
      return instruction
    }
    let steps = path.path.enumerated().map { number, step -> PathElement in
      if number < place.path.count, case .index = step { .index(0) } else { step }
    }
    return instruction.moved(to: PropertyPath(object: path.object, field: path.field, path: steps))
  }
}
