// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The order of SORT and DISTINCT, which covers all values (QueryLanguage §7): null, false, true, numbers with
/// not-a-number first, strings and bytes, timestamps, object ids, UUIDs, links, lists, dictionaries.
extension ValueOrder {
  /// Returns a negative number, zero or a positive number.
  static func sort(_ left: Value, _ right: Value) -> Int {
    let (leftClass, rightClass) = (sortClass(left), sortClass(right))
    guard leftClass == rightClass else { return leftClass - rightClass }
    switch (left, right) {
    case (.link(let left), .link(let right)): return sort(left, right)
    case (.list(let left), .list(let right)): return sort(left, right)
    case (.dictionary(let left), .dictionary(let right)): return sort(left, right)
    default: return compare(left, right) ?? compareTextWithBytes(left, right) ?? sortNotANumber(left, right)
    }
  }

  private static func sortClass(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string, .malformedString, .binary: 3
    case .timestamp: 4
    case .objectId: 5
    case .uuid: 6
    case .link: 7
    case .list: 8
    case .dictionary: 9
    }
  }

  private static func sortNotANumber(_ left: Value, _ right: Value) -> Int {
    (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
  }

  private static func sort(_ left: Link, _ right: Link) -> Int {
    let byClass = UTF8Order.compare(left.className, right.className)
    if byClass != 0 { return byClass }
    return sort(left.key.value ?? .null, right.key.value ?? .null)
  }

  private static func sort(_ left: [Value], _ right: [Value]) -> Int {
    for (left, right) in zip(left, right) {
      let order = sort(left, right)
      if order != 0 { return order }
    }
    return left.count - right.count
  }

  private static func sort(_ left: [DictionaryEntry], _ right: [DictionaryEntry]) -> Int {
    for (left, right) in zip(left, right) {
      let byKey = UTF8Order.compare(left.key, right.key)
      if byKey != 0 { return byKey }
      let byValue = sort(left.value, right.value)
      if byValue != 0 { return byValue }
    }
    return left.count - right.count
  }
}
