// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The Swift number or Boolean in an `NSNumber`, as produced by `JSONSerialization`; any other value unchanged.
///
/// A cast does not reveal which of the two it is: casting 1 to `Bool` succeeds.
func plainNumber(_ value: Any) -> Any {
  guard type(of: value) is AnyClass, let number = value as? NSNumber else { return value }
  switch String(cString: number.objCType) {
  case "c", "B": return number.boolValue
  case "d": return number.doubleValue
  case "f": return number.floatValue
  case "Q": return number.uint64Value
  default: return number.int64Value
  }
}
