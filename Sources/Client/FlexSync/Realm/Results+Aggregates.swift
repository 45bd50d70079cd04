// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A type that values of a property can be given as, and what is stored for it.
public protocol _HasPersistedType {
  /// The type that is stored for this one, which is the same unless the program defines this one.
  associatedtype PersistedType = Self
  /// Converts a value given by property name to this type; nil if that is impossible.
  static func _convert(_ value: Any) -> Self?
}

/// A type whose values have a minimum and a maximum.
public protocol MinMaxType {}

/// A type whose values can be summed.
public protocol AddableType {}

/// A type by whose values plain collections can be sorted.
public protocol SortableType {}

/// A type whose objects can be sorted by their properties.
public protocol KeypathSortable {
  /// The path in queries to what a key path of the type reads.
  static func _path(of keyPath: AnyKeyPath) -> String
}

extension ObjectBase: KeypathSortable {
  public static func _path(of keyPath: AnyKeyPath) -> String { DiscoveredClass.of(self).path(of: keyPath) }
}

extension Int: MinMaxType, AddableType, SortableType {}
extension Int8: MinMaxType, AddableType, SortableType {}
extension Int16: MinMaxType, AddableType, SortableType {}
extension Int32: MinMaxType, AddableType, SortableType {}
extension Int64: MinMaxType, AddableType, SortableType {}
extension Float: MinMaxType, AddableType, SortableType {}
extension Double: MinMaxType, AddableType, SortableType {}
extension Date: MinMaxType, SortableType {}
extension Decimal128: MinMaxType, AddableType, SortableType {}
extension AnyRealmValue: MinMaxType, AddableType, SortableType {}
extension Data: SortableType {}
extension String: SortableType {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}

/// Aggregates of a property over all objects, by its name; of plain values by "self". Nulls are skipped.
extension _LiveElements {
  /// The smallest value of a property; nil if there are no values.
  public func min<Value: _HasPersistedType>(ofProperty name: String) -> Value?
  where Value.PersistedType: MinMaxType {
    aggregate(.min, name)
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: _HasPersistedType>(ofProperty name: String) -> Value?
  where Value.PersistedType: MinMaxType {
    aggregate(.max, name)
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: _HasPersistedType>(ofProperty name: String) -> Value
  where Value.PersistedType: AddableType {
    guard let sum: Value = aggregate(.sum, name) ?? Value._convert(0) else {
      Misuse.stop("\(Value.self) cannot hold the sum of '\(name)'")
    }
    return sum
  }

  /// The average of a property; nil if there are no values. An integer average is truncated.
  public func average<Value: _HasPersistedType>(ofProperty name: String) -> Value?
  where Value.PersistedType: AddableType {
    aggregate(.average, name)
  }

  private func aggregate<Value: _HasPersistedType>(_ function: Aggregate, _ name: String) -> Value? {
    let value = _isInRealm ? _results.aggregate(function, name) : plainAggregate(function, name)
    guard let value else { return nil }
    if _LiveElement.self == AnyRealmValue.self, let decimal = mixedTotal(function, value) {
      return Value._convert(decimal) ?? Value._convert(decimal.doubleValue)
    }
    if let converted = Value._convert(value) { return converted }
    // The average of integers is a double.
    return (value as? Double).flatMap { Value._convert(Int64(clamping: $0)) }
  }

  /// The sum or average of values of any type as a decimal, which it is in a realm; nil for another function, and for the
  /// sum of no values outside a realm or in a map.
  private func mixedTotal(_ function: Aggregate, _ value: Any) -> Decimal128? {
    let isDecimal = _isInRealm && !(self is any _AnyMap)
    guard function == .average || function == .sum && (isDecimal || !_keyValueElements.isEmpty) else {
      return nil
    }
    return Decimal128._convert(value)
  }

  private func plainAggregate(_ function: Aggregate, _ name: String) -> Any? {
    KeyValueElements(_keyValueElements).aggregate(function, name)
  }
}

extension Results {
  /// An aggregate of a property, or of plain values as "self".
  func aggregate(_ function: Aggregate, _ name: String) -> Any? {
    guard case .rows(let box, let binding) = source else {
      Misuse.require(
        name == "self",
        "Arrays of '\(Element._propertyType.publicType.name)' can only be aggregated on \"self\""
      )
      return KeyValueElements(_keyValueElements).aggregate(function, name)
    }
    let ordinal = binding.discovered.requiredOrdinal(named: name)
    return box.aggregate(function, binding.propertyKeys[ordinal]).mixed(handle, at: nil).content
  }
}

/// Aggregates of a property over all objects. Objects in which the property is nil are skipped.
extension _LiveElements where _LiveElement: ObjectBase {
  /// The smallest value of a property; nil if there are no values.
  public func min<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement, Value>) -> Value?
  where Value.PersistedType: MinMaxType {
    min(ofProperty: DiscoveredClass.of(_LiveElement.self).name(of: keyPath))
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement, Value>) -> Value?
  where Value.PersistedType: MinMaxType {
    max(ofProperty: DiscoveredClass.of(_LiveElement.self).name(of: keyPath))
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement, Value>) -> Value
  where Value.PersistedType: AddableType {
    sum(ofProperty: DiscoveredClass.of(_LiveElement.self).name(of: keyPath))
  }

  /// The average of a property; nil if there are no values. An integer average is truncated.
  public func average<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement, Value>) -> Value?
  where Value.PersistedType: AddableType {
    average(ofProperty: DiscoveredClass.of(_LiveElement.self).name(of: keyPath))
  }
}

/// Aggregates of a property over the objects of a map. Entries without an object, and objects in which the property is
/// nil, are skipped.
extension _LiveElements where _LiveElement: _OptionalObject {
  /// The smallest value of a property; nil if there are no values.
  public func min<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement.Wrapped, Value>) -> Value?
  where Value.PersistedType: MinMaxType {
    min(ofProperty: DiscoveredClass.of(_LiveElement.Wrapped.self).name(of: keyPath))
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement.Wrapped, Value>) -> Value?
  where Value.PersistedType: MinMaxType {
    max(ofProperty: DiscoveredClass.of(_LiveElement.Wrapped.self).name(of: keyPath))
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement.Wrapped, Value>) -> Value
  where Value.PersistedType: AddableType {
    sum(ofProperty: DiscoveredClass.of(_LiveElement.Wrapped.self).name(of: keyPath))
  }

  /// The average of a property; nil if there are no values. An integer average is truncated.
  public func average<Value: _HasPersistedType>(of keyPath: KeyPath<_LiveElement.Wrapped, Value>) -> Value?
  where Value.PersistedType: AddableType {
    average(ofProperty: DiscoveredClass.of(_LiveElement.Wrapped.self).name(of: keyPath))
  }
}

/// Aggregates of plain values. Nulls are skipped.
extension _LiveElements where _LiveElement.PersistedType: MinMaxType {
  /// The smallest value; nil if there is none.
  public func min() -> _LiveElement? { min(ofProperty: "self") }

  /// The greatest value; nil if there is none.
  public func max() -> _LiveElement? { max(ofProperty: "self") }
}

extension _LiveElements where _LiveElement.PersistedType: AddableType {
  /// The sum of the values. Integers wrap around.
  public func sum() -> _LiveElement { sum(ofProperty: "self") }

  /// The average of the values; nil if there is none. An integer average is truncated.
  public func average<Value: _HasPersistedType>() -> Value? where Value.PersistedType: AddableType {
    average(ofProperty: "self")
  }
}
