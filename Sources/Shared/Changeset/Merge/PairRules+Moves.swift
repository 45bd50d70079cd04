// SPDX-License-Identifier: Apache-2.0

/// Rules for moves within one list (protocol §7.4, "Lists"). Each adjustment builds on the indexes left by the
/// previous one.
extension PairRules {
  /// If both target the same index, an earlier move ends up behind the inserted element, unlike the earlier of two
  /// inserts.
  static func arrayInsertAndArrayMove(_ insert: inout ListStep, _ move: inout ListStep) {
    move.priorSize &+= 1
    if insert.index > move.index { insert.index -= 1 } else { move.index &+= 1 }
    let destination = move.destination
    if insert.index < destination || insert.index == destination && insert.isLater(than: move) {
      move.destination &+= 1
    } else {
      insert.index &+= 1
    }
  }

  static func arrayMoveAndArrayErase(
    _ move: inout ListStep,
    _ erase: inout ListStep
  ) throws(ListSizeMismatch) {
    try requireSameSize(move, erase)
    move.priorSize &-= 1
    if erase.index == move.index {
      erase.index = move.destination
      return move.discard()
    }
    if erase.index > move.index { erase.index -= 1 } else { move.index -= 1 }
    if erase.index >= move.destination { erase.index &+= 1 } else { move.destination -= 1 }
    if move.index == move.destination { move.discard() }
  }

  static func arrayMoveAndArrayMove(
    _ left: inout ListStep,
    _ right: inout ListStep
  ) throws(ListSizeMismatch) {
    try requireSameSize(left, right)
    if left.index == right.index { return moveOfOneElement(&left, &right) }
    if left.index < right.index { right.index -= 1 } else { left.index -= 1 }
    if left.destination > right.index { left.destination -= 1 } else { right.index &+= 1 }
    if left.index < right.destination { right.destination -= 1 } else { left.index &+= 1 }
    if left.destination < right.destination
      || left.destination == right.destination && right.isLater(than: left)
    {
      right.destination &+= 1
    } else {
      left.destination &+= 1
    }
    if left.index == left.destination { left.discard() }
    if right.index == right.destination { right.discard() }
  }

  /// The later of two moves of the same element wins. It now starts at the destination of the earlier one.
  private static func moveOfOneElement(_ left: inout ListStep, _ right: inout ListStep) {
    if left.isLater(than: right) {
      right.discard()
      left.index = right.destination
      if left.index == left.destination { left.discard() }
    } else {
      left.discard()
      right.index = left.destination
      if right.index == right.destination { right.discard() }
    }
  }
}
