// SPDX-License-Identifier: Apache-2.0

/// Moves local instructions, one after the other, over all incoming ones (protocol §7.1).
struct Merger {
  private(set) var index: MergeIndex

  init(_ incoming: [Changeset]) {
    index = MergeIndex(incoming)
  }

  /// What becomes of a local changeset; nil if it stays as it is.
  mutating func transform(_ changeset: Changeset) throws(MergeError) -> [Instruction]? {
    var instructions: [Instruction] = []
    instructions.reserveCapacity(changeset.instructions.count)
    var isAltered = false
    for instruction in changeset.instructions {
      let candidates = index.candidates(for: instruction)
      if candidates.isEmpty {
        instructions.append(instruction)
        continue
      }
      var operand = MergeOperand(instruction, stamp: changeset.stamp)
      let added = try move(&operand, over: candidates)
      instructions.append(contentsOf: added)
      if !operand.isDiscarded { instructions.append(operand.instruction) }
      if operand.isAltered || !added.isEmpty { isAltered = true }
    }
    return isAltered ? instructions : nil
  }

  /// - Returns: instructions that come right before `operand`, moved over the incoming ones as well.
  private mutating func move(
    _ operand: inout MergeOperand,
    over candidates: [Int]
  ) throws(MergeError) -> [Instruction] {
    var added: [Instruction] = []
    for offset in candidates where !index.operands[offset].isDiscarded {
      switch try PairRules.apply(&operand, &index.operands[offset]) {
      case nil: break
      case .left(let instruction):
        var operandBefore = MergeOperand(instruction, stamp: operand.stamp)
        let rest = index.candidates(for: instruction).filter { $0 > offset }
        added += try move(&operandBefore, over: rest)
        if !operandBefore.isDiscarded { added.append(operandBefore.instruction) }
      case .right(let instruction): index.insert(instruction, before: offset)
      }
      // Whatever was inserted above has moved the other candidates, but also discarded the operand.
      if operand.isDiscarded { break }
    }
    return added
  }
}
