// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncRules

/// Which places inside of the objects of a class a user may see and write.
struct PropertyAccess {
  let readable: FieldAccess
  let writable: FieldAccess

  init(permission: ClassPermission) {
    readable = permission.readableFields
    writable = permission.writableFields
  }

  func isForbidden(_ path: PropertyPath) -> Bool { !writable.includes(path) }

  /// The property that may not be written, if a path leads into one; inner ones with dots.
  func forbiddenName(_ path: PropertyPath) -> String? {
    guard case .outside(let place) = writable.reach(path) else { return nil }
    return place.dottedName
  }

  /// The part of embedded objects that a user may see or write of whom an instruction takes them away, if not all of it may
  /// be written.
  func endangeredPart(by instruction: Instruction) -> FieldAccess? {
    switch instruction {
    // An object takes the place of the one that a dictionary has under the key; elsewhere the one that is there stays.
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

  /// An instruction without the indexes on the way to the property that may not be written.
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

extension Instruction {
  /// The same at another place.
  fileprivate func moved(to path: PropertyPath) -> Instruction {
    switch self {
    case .update(_, let payload, let detail): .update(path, payload, detail)
    case .addInteger(_, let delta): .addInteger(path, delta: delta)
    case .arrayInsert(_, let payload, let size): .arrayInsert(path, payload, priorSize: size)
    case .arrayMove(_, let to, let size): .arrayMove(path, to: to, priorSize: size)
    case .arrayErase(_, let size): .arrayErase(path, priorSize: size)
    case .clear(_, let kind): .clear(path, kind)
    case .setInsert(_, let payload): .setInsert(path, payload)
    case .setErase(_, let payload): .setErase(path, payload)
    case .addTable, .eraseTable, .createObject, .eraseObject, .addColumn, .eraseColumn: self
    }
  }
}
