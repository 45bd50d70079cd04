// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The rules for which values are the same element of a set, and for the order in which a set is read.
public enum SetElements {
  /// Whether a set can hold only one of the two values: 1 and 1.0 are the same element, and so are all that are not a
  /// number.
  public static func areSame(_ left: Value, _ right: Value) -> Bool {
    left == right || ValueOrder.compare(left, right) == 0 || isNotANumber(left) && isNotANumber(right)
  }

  /// Returns the decimal that is the same element as a number; nil for other values.
  public static func decimal(of value: Value) -> Decimal128? { ValueOrder.decimal(of: value) }

  /// Sorts by value. Values of different types sort as null, Booleans, numbers, strings, bytes, timestamps, object
  /// ids, UUIDs, links.
  public static func precedes(_ left: Value, _ right: Value) -> Bool {
    if let order = ValueOrder.compare(left, right) { return order < 0 }
    let (leftRank, rightRank) = (rank(left), rank(right))
    guard leftRank == rightRank else { return leftRank < rightRank }
    // For values that do not compare: not-a-number precedes other numbers, and links sort by their targets.
    if case .link(let left) = left, case .link(let right) = right {
      return (left.className, left.key.description) < (right.className, right.key.description)
    }
    return isNotANumber(left) && !isNotANumber(right)
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string, .malformedString: 3
    case .binary: 4
    case .timestamp: 5
    case .objectId: 6
    case .uuid: 7
    case .link: 8
    case .list, .dictionary: 9
    }
  }

  private static func isNotANumber(_ value: Value) -> Bool {
    switch value {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    default: false
    }
  }
}
