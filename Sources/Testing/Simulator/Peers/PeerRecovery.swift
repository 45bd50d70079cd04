// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Applies a realm's changes that were not uploaded to the copy that replaces it. Recovers what must not be lost:
/// objects, single values, counters and the board. Changes of other collections are omitted.
struct PeerRecovery {
  let objects: ObjectStore

  /// - Returns: The instructions that were applied.
  func recover(_ instructions: [Instruction]) throws -> [Instruction] {
    var done: [Instruction] = []
    for instruction in instructions {
      if case .eraseObject(let object) = instruction {
        if try objects.row(of: object) != nil { done += try objects.localErase(object) }
        continue
      }
      guard let instruction = try fitted(instruction) else { continue }
      try objects.apply(instruction)
      done.append(instruction)
    }
    return done
  }

  private func fitted(_ instruction: Instruction) throws -> Instruction? {
    switch instruction {
    case .createObject(let object): return try objects.row(of: object) == nil ? instruction : nil
    case .update(let path, .value(let value), _):
      guard path.path.isEmpty, try objects.row(of: path.object) != nil else { return nil }
      if case .link = value { return nil }
      return instruction
    case .addInteger(let path, _):
      return try path.path.isEmpty && objects.row(of: path.object) != nil ? instruction : nil
    case .arrayInsert(let path, let payload, _):
      guard path.object == SimulationSchema.theBoard, let row = try objects.row(of: path.object),
        let column = try objects.table(named: path.object.table)?.column(named: path.field)
      else { return nil }
      let size = UInt32(try objects.listCount(row: row, column))
      let end = PropertyPath(object: path.object, field: path.field, path: [.index(size)])
      return .arrayInsert(end, payload, priorSize: size)
    default: return nil
    }
  }
}
