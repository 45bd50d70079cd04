// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Rules for two instructions on the same place (protocol §7.4, "Values" and "Sets").
extension PairRules {
  static func updateAndUpdate(_ left: inout MergeOperand, _ right: inout MergeOperand) throws(MergeError) {
    guard left.isElementUpdate == right.isElementUpdate else {
      throw MergeError(.updateKind, "one side updates a list element at \(left.place), the other a property")
    }
    if left.isElementUpdate {
      do throws(ListSizeMismatch) {
        try requireSameSize(left.step, right.step)
      } catch {
        throw error.error(at: left)
      }
    }
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
    noteKeptCollection(&left, &right)
  }

  /// Notes a doubt if the surviving instruction may keep what the other one replaced.
  private static func noteKeptCollection(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    if !left.isDiscarded, left.mayKeepCollection { left.noteDoubt(.keptCollection) }
    if !right.isDiscarded, right.mayKeepCollection { right.noteDoubt(.keptCollection) }
  }

  /// Applies a later addition to the value that the other side sets as well.
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
    if clear.kind == .update { clear.noteDoubt(.deviation) }
    discardEarlier(&update, &clear)
    noteKeptCollection(&update, &clear)
  }

  /// SetInsert and SetErase of the same element, in any combination.
  static func setInstructions(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    let sameness = sameness(left.payload, right.payload)
    if sameness == .different { return }
    if left.kind != right.kind || sameness != .same { noteNumberInSet(&left, &right, sameness) }
    if sameness == .same || sameness == .equalNumbers && left.kind != right.kind {
      discardEarlier(&left, &right)
    }
  }

  /// Notes a doubt about a number in a set. A set of mixed holds 1 or 1.0 but not both, and keeps the form that was
  /// inserted first. The two sides can therefore differ unless a later erasure removes the number anyway.
  private static func noteNumberInSet(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand,
    _ sameness: Sameness
  ) {
    guard left.payload.isNumber, left.kind == .setInsert || right.kind == .setInsert else { return }
    let later = left.isLater(than: right) ? left : right
    if later.kind == .setErase && sameness != .perhapsEqualNumbers { return }
    left.noteDoubt(.numberInSet)
  }

  private enum Sameness {
    /// The same value in the same form.
    case same
    /// The same number in two forms. The reference also compares types, and its two sides differ when one inserts 1
    /// and the other erases 1.0. (Two inserts keep the form of the first.)
    case equalNumbers
    /// A decimal and another number, which are not compared here.
    case perhapsEqualNumbers
    case different
  }

  private static func sameness(_ left: Payload, _ right: Payload) -> Sameness {
    if left == right { return .same }
    guard left.isNumber, right.isNumber else { return .different }
    if left.isDecimal || right.isDecimal { return .perhapsEqualNumbers }
    guard let left = left.exactDouble, let right = right.exactDouble else { return .different }
    return left == right ? .equalNumbers : .different
  }
}

extension Payload {
  fileprivate var isDecimal: Bool {
    if case .value(.decimal) = self { true } else { false }
  }

  fileprivate var isNumber: Bool {
    switch self {
    case .value(.int), .value(.float), .value(.double), .value(.decimal): true
    default: false
    }
  }

  /// The numeric value of an integer or floating-point payload, if a double can represent it exactly.
  fileprivate var exactDouble: Double? {
    switch self {
    case .value(.int(let value)): Double(exactly: value)
    case .value(.float(let value)): Double(value)
    case .value(.double(let value)): value
    default: nil
    }
  }
}
