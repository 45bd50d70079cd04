// SPDX-License-Identifier: Apache-2.0

extension Results {
  /// The smallest value of a property; nil if there are no objects.
  public func min<Value: Comparable & _Persistable>(of keyPath: KeyPath<Element, Value>) -> Value? {
    lazy.map { $0[keyPath: keyPath] }.min()
  }

  /// The greatest value of a property; nil if there are no objects.
  public func max<Value: Comparable & _Persistable>(of keyPath: KeyPath<Element, Value>) -> Value? {
    lazy.map { $0[keyPath: keyPath] }.max()
  }

  /// The sum of the values of a property.
  public func sum<Value: AdditiveArithmetic & _Persistable>(of keyPath: KeyPath<Element, Value>) -> Value {
    lazy.map { $0[keyPath: keyPath] }.reduce(.zero, +)
  }

  /// The average of an integer property; nil if there are no objects.
  public func average<Value: BinaryInteger & _Persistable>(of keyPath: KeyPath<Element, Value>) -> Double? {
    isEmpty ? nil : lazy.map { Double($0[keyPath: keyPath]) }.reduce(0, +) / Double(count)
  }

  /// The average of a property with fractions; nil if there are no objects.
  public func average<Value: BinaryFloatingPoint & _Persistable>(of keyPath: KeyPath<Element, Value>)
    -> Double?
  {
    isEmpty ? nil : lazy.map { Double($0[keyPath: keyPath]) }.reduce(0, +) / Double(count)
  }
}
