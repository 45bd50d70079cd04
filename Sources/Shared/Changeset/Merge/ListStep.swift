// SPDX-License-Identifier: Apache-2.0

/// The part of an instruction that the rules for elements of one list read and change.
///
/// It is small and contains no references: where long lists meet, a merge does nothing but compare each step of one
/// side with each step of the other.
struct ListStep {
  let stamp: OriginStamp
  var kind: InstructionKind
  /// The index that the path ends in; 0 if the path ends in a name.
  var index: UInt32 = 0 { didSet { isChanged = true } }
  /// The length of the list before the instruction.
  var priorSize: UInt32 = 0 { didSet { isChanged = true } }
  /// The target index of an ArrayMove.
  var destination: UInt32 = 0 { didSet { isChanged = true } }
  private(set) var isDiscarded = false
  private(set) var isChanged = false

  init(_ instruction: Instruction, stamp: OriginStamp) {
    self.stamp = stamp
    kind = instruction.kind
    if case .index(let last) = instruction.path?.path.last { index = last }
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
  /// Whether the instruction acts on an element of a list that is itself a property.
  var isPlainStep: Bool {
    guard let path = path?.path, path.count == 1, case .index = path[0] else { return false }
    switch self {
    case .arrayInsert, .arrayMove, .arrayErase, .update(_, _, .priorSize): return true
    default: return false
    }
  }
}
