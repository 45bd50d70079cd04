// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A type whose values have a minimum and a maximum.
public protocol MinMaxType: RealmCollectionValue {}

/// A type whose values can be summed.
public protocol AddableType: RealmCollectionValue {}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Float: MinMaxType, AddableType {}
extension Double: MinMaxType, AddableType {}
extension Date: MinMaxType {}

/// Aggregates of a property over all objects. Objects in which the property is nil are skipped.
extension Results {
  /// The smallest value of a property; nil if there are no values.
  public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
    aggregate(.FLX_AGGREGATE_MIN, ordinal(of: keyPath))
  }

  /// The smallest value of an optional property; nil if there are no values.
  public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value?>) -> Value? {
    aggregate(.FLX_AGGREGATE_MIN, ordinal(of: keyPath))
  }

  /// The smallest value of a property; nil if there are no values.
  public func min<Value: MinMaxType>(ofProperty name: String) -> Value? {
    aggregate(.FLX_AGGREGATE_MIN, ordinal(named: name))
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
    aggregate(.FLX_AGGREGATE_MAX, ordinal(of: keyPath))
  }

  /// The greatest value of an optional property; nil if there are no values.
  public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value?>) -> Value? {
    aggregate(.FLX_AGGREGATE_MAX, ordinal(of: keyPath))
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: MinMaxType>(ofProperty name: String) -> Value? {
    aggregate(.FLX_AGGREGATE_MAX, ordinal(named: name))
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Value {
    aggregate(.FLX_AGGREGATE_SUM, ordinal(of: keyPath)) ?? ._defaultValue()
  }

  /// The sum of the values of an optional property. Integers wrap around.
  public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value?>) -> Value {
    aggregate(.FLX_AGGREGATE_SUM, ordinal(of: keyPath)) ?? ._defaultValue()
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: AddableType>(ofProperty name: String) -> Value {
    aggregate(.FLX_AGGREGATE_SUM, ordinal(named: name)) ?? ._defaultValue()
  }

  /// The average of a property; nil if there are no values.
  public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Double? {
    aggregate(.FLX_AGGREGATE_AVERAGE, ordinal(of: keyPath))
  }

  /// The average of an optional property; nil if there are no values.
  public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value?>) -> Double? {
    aggregate(.FLX_AGGREGATE_AVERAGE, ordinal(of: keyPath))
  }

  /// The average of a property; nil if there are no values. An integer average is truncated.
  public func average<Value: AddableType>(ofProperty name: String) -> Value? {
    aggregate(.FLX_AGGREGATE_AVERAGE, ordinal(named: name))
  }

  private func ordinal(of keyPath: AnyKeyPath) -> Int { binding.discovered.ordinal(of: keyPath) }

  private func ordinal(named name: String) -> Int {
    guard let ordinal = binding.discovered.properties.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("'\(binding.discovered.name)' has no property '\(name)'")
    }
    return ordinal
  }

  private func aggregate<Value: RealmCollectionValue>(_ function: flx_aggregate_t, _ ordinal: Int) -> Value? {
    var value = flx_value_t()
    trapOnMisuse { flx_results_aggregate(pointer, function, binding.propertyKeys[ordinal], &value, $0) }
    guard value.type != .FLX_TYPE_NULL else { return nil }
    return Value._fromFlex(value.asNumber(of: Value._propertyType.type), handle)
  }
}

extension flx_value_t {
  /// Converts a sum or average, which may be a double even if the property is not. An average of integers loses its
  /// fraction and is clamped: as a double, that of the greatest integers exceeds their range.
  fileprivate func asNumber(of wanted: flx_type_t) -> flx_value_t {
    guard type == .FLX_TYPE_DOUBLE, wanted != type else { return self }
    let number = double_value
    switch wanted {
    case .FLX_TYPE_FLOAT: return .make(.FLX_TYPE_FLOAT) { $0.float_value = Float(number) }
    case .FLX_TYPE_INT: return .make(.FLX_TYPE_INT) { $0.integer = Int64(clamping: number) }
    default: return self
    }
  }
}
