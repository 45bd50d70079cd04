// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The range of keys between the bounds of one predicate.
struct KeyRange {
  let slot: Int
  let kind: OrderKey.Kind
  private(set) var lower: UInt64?
  private(set) var upper: UInt64?
  /// The bounds themselves, as positions among the predicate's constants, for texts, whose keys may coincide.
  private(set) var lowerConstant: Int?
  private(set) var upperConstant: Int?
  /// The number of leading bytes shared by all texts between the bounds, if it is so large that their keys cannot
  /// differ.
  let sharedLength: Int?

  /// Returns nil if a bound has no order.
  init?(_ lower: SlotTest?, _ upper: SlotTest?, _ constants: ArraySlice<Value>, isInteger: Bool) {
    guard let test = lower ?? upper else { return nil }
    slot = Int(test.slot)
    let lowerBounds = lower.flatMap { OrderKey.bounds(constants.at($0.firstConstant), isInteger: isInteger) }
    let upperBounds = upper.flatMap { OrderKey.bounds(constants.at($0.firstConstant), isInteger: isInteger) }
    guard (lower == nil) == (lowerBounds == nil), (upper == nil) == (upperBounds == nil),
      let kind = lowerBounds?.kind ?? upperBounds?.kind
    else { return nil }
    self.kind = kind
    self.lower = lowerBounds?.lower
    lowerConstant = kind == .text ? lower.map { Int($0.firstConstant) } : nil
    // With bounds of different kinds no value satisfies both, so filing one of them suffices.
    let isUpperUsed = upperBounds?.kind == kind
    self.upper = isUpperUsed ? upperBounds?.upper : nil
    upperConstant = kind == .text && isUpperUsed ? upper.map { Int($0.firstConstant) } : nil
    sharedLength = KeyRange.sharedLength(lowerConstant, upperConstant, constants)
  }

  var isClosed: Bool { lower != nil && upper != nil }

  /// Whether no value lies between the bounds.
  var isEmpty: Bool {
    guard let lower, let upper else { return false }
    return lower > upper
  }

  private static func sharedLength(_ lower: Int?, _ upper: Int?, _ constants: ArraySlice<Value>) -> Int? {
    guard let lower, let upper else { return nil }
    var length = 0
    constants.at(Int32(lower)).withTextBytes { low in
      constants.at(Int32(upper)).withTextBytes { high in length = zip(low, high).prefix { $0 == $1 }.count }
    }
    return length < 8 ? nil : min(length, SlotAccess.maximumPrefixLength)
  }
}

extension ArraySlice {
  /// Returns the element at an offset from the start of the slice.
  @inline(__always)
  func at(_ offset: Int32) -> Element { self[startIndex + Int(offset)] }
}
