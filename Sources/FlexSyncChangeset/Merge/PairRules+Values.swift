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
    case (.list, .list), (.dictionary, .dictionary): break
    default: discardEarlier(&update, &clear)
    }
  }

  /// SetInsert and SetErase of the same element, in any combination.
  static func discardEarlierOfSameElement(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    if left.payload == right.payload { discardEarlier(&left, &right) }
  }
}
