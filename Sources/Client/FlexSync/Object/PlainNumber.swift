// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The Swift number or Boolean in an `NSNumber`, which is what `JSONSerialization` gives; any other value as it is.
///
/// A cast does not tell which of them it is: that of 1 to `Bool` succeeds.
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
