// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Two instructions on one place (protocol §7.4, "Values" and "Sets").
extension PairRules {
  static func updateAndUpdate(_ left: inout MergeOperand, _ right: inout MergeOperand) throws(MergeError) {
    guard left.isElementUpdate == right.isElementUpdate else {
      throw MergeError(.updateKind, "an update of a list element meets one of a property at \(left.place)")
    }
    if left.isElementUpdate { try requireSameSize(left, right) }
    switch (left.payload, right.payload) {
    case (.list, .list), (.dictionary, .dictionary): return
    case (.object, .object): break
    case (.object, _): return left.discard()
    case (_, .object): return right.discard()
    default: break
    }
    if left.isDefault != right.isDefault {
      if left.isDefault { left.discard() } else { right.discard() }
    } else {
      discardEarlier(&left, &right)
    }
  }

  /// A later addition is also made to the value that the other side sets.
  static func updateAndAddInteger(_ update: inout MergeOperand, _ add: inout MergeOperand) {
    guard update.isDefault || add.isLater(than: update) else { return add.discard() }
    switch update.payload {
    case .value(.int(let value)): update.payload = .value(.int(value &+ add.delta))
    case .value(.null): break
    default: add.discard()
    }
  }

  static func updateAndClear(_ update: inout MergeOperand, _ clear: inout MergeOperand) {
    switch (update.payload, clear.collection) {
    case (.list, .list), (.dictionary, .dictionary): return
    case (.erased, .list) where clear.isLater(than: update): clear.becomeUpdate(to: .list)
    case (.erased, .dictionary) where clear.isLater(than: update): clear.becomeUpdate(to: .dictionary)
    default: break
    }
    discardEarlier(&update, &clear)
  }

  /// SetInsert and SetErase of one element, in any combination.
  static func setInstructions(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    if left.payload == right.payload || left.kind != right.kind && haveSameNumber(left.payload, right.payload)
    {
      discardEarlier(&left, &right)
    }
  }

  /// In a set of mixed, 1 and 1.0 are one element. The reference compares types as well, and its two sides differ
  /// when one inserts 1 and the other erases 1.0. (Two inserts or two erasures need no rule.)
  private static func haveSameNumber(_ left: Payload, _ right: Payload) -> Bool {
    guard let left = number(left), let right = number(right) else { return false }
    return left == right
  }

  private static func number(_ payload: Payload) -> Double? {
    switch payload {
    case .value(.int(let value)): Double(exactly: value)
    case .value(.float(let value)): Double(value)
    case .value(.double(let value)): value
    default: nil
    }
  }
}
