// SPDX-License-Identifier: Apache-2.0

/// The incoming instructions in order, indexed by the place that they act on.
///
/// Instructions on different objects, properties or keys do not interact, except for those that erase an enclosing
/// item (protocol §7.3, §7.6). The rest of a changeset therefore costs a merge nothing.
struct MergeIndex {
  var operands: [MergeOperand] = []
  /// The offset of the changeset that each operand belongs to.
  private var changesetOffsets: [Int] = []
  private var objects: [ObjectReference: ObjectOffsets] = [:]
  private var schemaOffsets: [Int] = []
  private var erasureOffsets: [Int] = []
  /// The most recent result, because consecutive instructions often act on the same place.
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

  /// Returns the offsets, in order, of the operands for which a rule with the instruction may exist.
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

  /// Inserts an instruction before the one at the offset. Invalidates all offsets returned earlier.
  mutating func insert(_ instruction: Instruction, before offset: Int) {
    operands.insert(MergeOperand(adding: instruction, stamp: operands[offset].stamp), at: offset)
    changesetOffsets.insert(changesetOffsets[offset], at: offset)
    index()
  }

  /// The doubts noted at the operands. A collection that is cleared right after its creation keeps nothing and raises
  /// no doubt.
  var doubts: [MergeDoubt] {
    operands.indices.compactMap { offset in
      guard let doubt = operands[offset].placedDoubt else { return nil }
      let keepsNothing = operands[offset].isCleared && !operands[offset + 1].isDiscarded
      return keepsNothing && doubt.reason == .keptCollection ? nil : doubt
    }
  }

  /// Writes the remaining instructions back to their changesets.
  ///
  /// - Returns: The offsets of the changesets that have been altered, ascending.
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
