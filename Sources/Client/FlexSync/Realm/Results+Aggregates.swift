// SPDX-License-Identifier: Apache-2.0

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
extension Decimal128: MinMaxType, AddableType {}
extension AnyRealmValue: MinMaxType, AddableType {}

/// Aggregates of a property over all objects. Objects in which the property is nil are skipped.
extension Results {
  /// The smallest value of a property; nil if there are no values.
  public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
    aggregate(.min, ordinal(of: keyPath))
  }

  /// The smallest value of an optional property; nil if there are no values.
  public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value?>) -> Value? {
    aggregate(.min, ordinal(of: keyPath))
  }

  /// The smallest value of a property; nil if there are no values.
  public func min<Value: MinMaxType>(ofProperty name: String) -> Value? {
    aggregate(.min, ordinal(named: name))
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
    aggregate(.max, ordinal(of: keyPath))
  }

  /// The greatest value of an optional property; nil if there are no values.
  public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value?>) -> Value? {
    aggregate(.max, ordinal(of: keyPath))
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: MinMaxType>(ofProperty name: String) -> Value? {
    aggregate(.max, ordinal(named: name))
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Value {
    aggregate(.sum, ordinal(of: keyPath)) ?? ._defaultValue()
  }

  /// The sum of the values of an optional property. Integers wrap around.
  public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value?>) -> Value {
    aggregate(.sum, ordinal(of: keyPath)) ?? ._defaultValue()
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: AddableType>(ofProperty name: String) -> Value {
    aggregate(.sum, ordinal(named: name)) ?? ._defaultValue()
  }

  /// The average of a property; nil if there are no values.
  public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Double? {
    aggregate(.average, ordinal(of: keyPath))
  }

  /// The average of an optional property; nil if there are no values.
  public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value?>) -> Double? {
    aggregate(.average, ordinal(of: keyPath))
  }

  /// The average of a property; nil if there are no values. An integer average is truncated.
  public func average<Value: AddableType>(ofProperty name: String) -> Value? {
    aggregate(.average, ordinal(named: name))
  }

  private func ordinal(of keyPath: AnyKeyPath) -> Int { binding.discovered.ordinal(of: keyPath) }

  private func ordinal(named name: String) -> Int {
    guard let ordinal = binding.discovered.properties.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("'\(binding.discovered.name)' has no property '\(name)'")
    }
    return ordinal
  }

  private func aggregate<Value: RealmCollectionValue>(_ function: Aggregate, _ ordinal: Int) -> Value? {
    let value = box.aggregate(function, binding.propertyKeys[ordinal])
    return value.isNull ? nil : Value._fromFlex(value.asNumber(of: Value._propertyType), handle)
  }
}
