// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Instructions grouped by the object that they concern; objects do not interact (protocol §7.6).
struct ObjectGroups {
  let instructions: [Instruction]
  /// The objects, in the order of their first instruction.
  private(set) var objects: [ObjectReference] = []
  private var indexes: [ObjectReference: [Int]] = [:]

  init(_ instructions: [Instruction]) {
    self.instructions = instructions
    for (index, instruction) in instructions.enumerated() {
      guard let object = instruction.object else { continue }
      if indexes[object] == nil { objects.append(object) }
      indexes[object, default: []].append(index)
    }
  }

  func instructions(of object: ObjectReference) -> [Instruction] {
    (indexes[object] ?? []).map { instructions[$0] }
  }

  func instructions(of objects: Set<ObjectReference>) -> [Instruction] {
    instructions.filter { instruction in instruction.object.map(objects.contains) ?? false }
  }
}
