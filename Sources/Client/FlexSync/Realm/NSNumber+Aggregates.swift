// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Aggregates can be given as an `NSNumber`.
extension NSNumber: MinMaxType, AddableType, _HasPersistedType {
  public typealias PersistedType = NSNumber

  public static func _convert(_ value: Any) -> Self? {
    let number: NSNumber? =
      switch value {
      case let float as Float: NSNumber(value: float)
      case let number as any BinaryFloatingPoint: NSNumber(value: Double(number))
      case let number as any BinaryInteger: NSNumber(value: Int64(truncatingIfNeeded: number))
      case let decimal as Decimal128: NSNumber(value: decimal.doubleValue)
      default: nil
      }
    return number as? Self
  }
}

/// Aggregates of dates can be given as an `NSDate`.
extension NSDate: MinMaxType, _HasPersistedType {
  public typealias PersistedType = NSDate

  public static func _convert(_ value: Any) -> Self? {
    (value as? Date).map { NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
      as? Self
  }
}
