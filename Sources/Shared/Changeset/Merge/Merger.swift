// SPDX-License-Identifier: Apache-2.0

/// Moves local instructions one by one over all incoming ones (protocol §7.1).
struct Merger {
  private(set) var index: MergeIndex
  /// The doubts noted at local instructions.
  private var doubts: Set<MergeDoubt> = []

  init(_ incoming: [Changeset]) {
    index = MergeIndex(incoming)
  }

  /// Returns the new instructions of a local changeset, or nil if the changeset stays unchanged.
  mutating func transform(_ changeset: Changeset) throws(MergeError) -> [Instruction]? {
    var instructions: [Instruction] = []
    instructions.reserveCapacity(changeset.instructions.count)
    var isAltered = false
    var beforeClear: MergeDoubt?
    for (offset, instruction) in changeset.instructions.enumerated() {
      let candidates = index.candidates(for: instruction)
      if candidates.isEmpty {
        instructions.append(instruction)
        continue
      }
      let next = changeset.instructions.dropFirst(offset + 1).first
      var operand = MergeOperand(instruction, stamp: changeset.stamp, next: next)
      let added = try move(&operand, over: candidates)
      instructions.append(contentsOf: added)
      if !operand.isDiscarded { instructions.append(operand.instruction) }
      if operand.isAltered || !added.isEmpty { isAltered = true }
      if let doubt = operand.placedDoubt, !operand.isCleared || doubt.reason != .keptCollection {
        doubts.insert(doubt)
      }
      if let doubt = beforeClear, operand.isDiscarded { doubts.insert(doubt) }
      beforeClear = operand.isCleared ? operand.placedDoubt : nil
    }
    return isAltered ? instructions : nil
  }

  /// The doubts noted on either side, sorted.
  var allDoubts: [MergeDoubt] {
    doubts.union(index.doubts).sorted { $0.sortKey < $1.sortKey }
  }

  /// - Returns: Instructions to place right before `operand`, themselves moved over the incoming ones.
  private mutating func move(
    _ operand: inout MergeOperand,
    over candidates: [Int]
  ) throws(MergeError) -> [Instruction] {
    var added: [Instruction] = []
    for offset in candidates where !index.operands[offset].isDiscarded {
      if operand.isPlainStep, index.operands[offset].isPlainStep {
        if try PairRules.applyPlain(&operand, &index.operands[offset]) {
          if operand.isDiscarded { break }
          continue
        }
      }
      operand.settlePath()
      index.operands[offset].settlePath()
      switch try PairRules.apply(&operand, &index.operands[offset]) {
      case nil: break
      case .left(let instruction):
        var operandBefore = MergeOperand(instruction, stamp: operand.stamp)
        let rest = index.candidates(for: instruction).filter { $0 > offset }
        added += try move(&operandBefore, over: rest)
        if !operandBefore.isDiscarded { added.append(operandBefore.instruction) }
      case .right(let instruction): index.insert(instruction, before: offset)
      }
      // An insertion above shifts the remaining candidates, but it also discards the operand.
      if operand.isDiscarded { break }
    }
    return added
  }
}

extension MergeOperand {
  /// The doubt noted at this instruction, with its object and property.
  var placedDoubt: MergeDoubt? {
    guard let doubt, let object else { return nil }
    return MergeDoubt(object: object, field: field, reason: doubt)
  }
}

extension MergeDoubt {
  fileprivate var sortKey: (String, String, String, String) {
    (object.table, object.key.description, field, reason.rawValue)
  }
}
