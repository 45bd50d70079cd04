// SPDX-License-Identifier: Apache-2.0

/// The incoming instructions in their order, found by the place that they concern.
///
/// Instructions on different objects, properties or keys do not interact, except for those that erase what they are in
/// (protocol §7.3, §7.6), so that the rest of a changeset costs a merge nothing.
struct MergeIndex {
  var operands: [MergeOperand] = []
  /// The changeset from which each operand comes.
  private var changesetOffsets: [Int] = []
  private var objects: [ObjectReference: ObjectOffsets] = [:]
  private var schemaOffsets: [Int] = []
  private var erasureOffsets: [Int] = []
  /// What was found last: many instructions in a row concern one place.
  private var latest: (object: ObjectReference, place: MergePlace, candidates: [Int])?

  init(_ changesets: [Changeset]) {
    for (offset, changeset) in changesets.enumerated() {
      for (position, instruction) in changeset.instructions.enumerated() {
        let next = changeset.instructions.dropFirst(position + 1).first
        operands.append(MergeOperand(instruction, stamp: changeset.stamp, next: next))
        changesetOffsets.append(offset)
      }
    }
    index()
  }

  private mutating func index() {
    objects = [:]
    schemaOffsets = []
    erasureOffsets = []
    latest = nil
    for (offset, operand) in operands.enumerated() {
      if let object = operand.object {
        objects[object, default: ObjectOffsets()].add(offset, MergePlace(operand.original))
      } else {
        schemaOffsets.append(offset)
        if operand.kind == .eraseTable || operand.kind == .eraseColumn { erasureOffsets.append(offset) }
      }
    }
  }

  /// The offsets of the operands to which a rule with the instruction may apply, in order.
  mutating func candidates(for instruction: Instruction) -> [Int] {
    switch instruction {
    case .eraseTable, .eraseColumn: return Array(operands.indices)
    case .addTable, .addColumn: return schemaOffsets
    default: break
    }
    guard let object = instruction.object else { return [] }
    let place = MergePlace(instruction)
    if let latest, latest.object == object, latest.place == place { return latest.candidates }
    let groups = (objects[object]?.candidates(for: place) ?? []) + [erasureOffsets]
    let candidates = MergeIndex.ordered(groups)
    latest = (object, place, candidates)
    return candidates
  }

  private static func ordered(_ groups: [[Int]]) -> [Int] {
    let groups = groups.filter { !$0.isEmpty }
    return groups.count > 1 ? groups.flatMap(\.self).sorted() : groups.first ?? []
  }

  /// Puts an instruction before the one at the offset. Offsets that were given out before mean nothing afterwards.
  mutating func insert(_ instruction: Instruction, before offset: Int) {
    operands.insert(MergeOperand(adding: instruction, stamp: operands[offset].stamp), at: offset)
    changesetOffsets.insert(changesetOffsets[offset], at: offset)
    index()
  }

  /// What the operands give reason to doubt. Collections that are cleared right after they are made keep nothing.
  var doubts: [MergeDoubt] {
    operands.indices.compactMap { offset in
      guard let doubt = operands[offset].placedDoubt else { return nil }
      let keepsNothing = operands[offset].isCleared && !operands[offset + 1].isDiscarded
      return keepsNothing && doubt.reason == .keptCollection ? nil : doubt
    }
  }

  /// Writes what is left into the changesets from which the operands came.
  ///
  /// - Returns: the offsets of those that are not what they were, ascending.
  func rewrite(_ changesets: inout [Changeset]) -> [Int] {
    var altered: [Int] = []
    var start = 0
    while start < operands.count {
      let changeset = changesetOffsets[start]
      let end = changesetOffsets[start...].firstIndex { $0 != changeset } ?? operands.count
      let group = operands[start..<end]
      if group.contains(where: \.isAltered) {
        changesets[changeset].instructions = group.filter { !$0.isDiscarded }.map(\.instruction)
        altered.append(changeset)
      }
      start = end
    }
    return altered
  }
}
