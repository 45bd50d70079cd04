// SPDX-License-Identifier: Apache-2.0

/// What the rules for the elements of one list read and change of an instruction.
///
/// It is small and has no references: where long lists meet, a merge does nothing but compare each step of one side with
/// each of the other.
struct ListStep {
  let stamp: OriginStamp
  var kind: InstructionKind
  /// The index in which the path ends; 0 if it ends in a name.
  var index: UInt32 = 0 { didSet { isChanged = true } }
  /// The length of the list before the instruction.
  var priorSize: UInt32 = 0 { didSet { isChanged = true } }
  /// Where an ArrayMove leads.
  var destination: UInt32 = 0 { didSet { isChanged = true } }
  private(set) var isDiscarded = false
  private(set) var isChanged = false

  init(_ instruction: Instruction, stamp: OriginStamp) {
    self.stamp = stamp
    kind = instruction.kind
    if case .index(let last) = instruction.propertyPath?.path.last { index = last }
    switch instruction {
    case .update(_, _, .priorSize(let size)), .arrayInsert(_, _, let size), .arrayErase(_, let size):
      priorSize = size
    case .arrayMove(_, let to, let size): (destination, priorSize) = (to, size)
    default: break
    }
    isChanged = false
  }

  mutating func discard() { isDiscarded = true }

  func isLater(than other: ListStep) -> Bool { other.stamp < stamp }
}

extension Instruction {
  /// Whether it acts on an element of a list that is a property itself.
  var isPlainStep: Bool {
    guard let path = propertyPath?.path, path.count == 1, case .index = path[0] else { return false }
    switch self {
    case .arrayInsert, .arrayMove, .arrayErase, .update(_, _, .priorSize): return true
    default: return false
    }
  }
}
