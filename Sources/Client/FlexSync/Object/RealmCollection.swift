// SPDX-License-Identifier: Apache-2.0

/// A list or set of values in a property of an object.
public protocol RealmCollection: RandomAccessCollection, _KeyValueCollection, _ObservableCollection
where Element: RealmCollectionValue, _Change == RealmCollectionChange<Self> {
  /// The realm of the collection's object; nil if the object has not been added to one.
  var realm: Realm? { get }

  /// Whether the collection is that of a frozen realm.
  var isFrozen: Bool { get }

  /// Returns the collection with its present contents, which never change, for use on any thread. See `Realm.freeze`.
  func freeze() -> Self

  /// Returns the live collection for the calling thread; nil if its object was deleted. A live one returns itself.
  func thaw() -> Self?
}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}

// MARK: - Aggregates

extension RealmCollection {
  /// The sum of the elements.
  public func sum() -> Element where Element: AdditiveArithmetic { reduce(.zero, +) }

  /// The average of the elements; nil if there is none.
  public func average() -> Double? where Element: BinaryInteger { mean(map { Double($0) }) }

  /// The average of the elements; nil if there is none.
  public func average() -> Double? where Element: BinaryFloatingPoint { mean(map { Double($0) }) }

  /// The smallest element that is not nil; nil if there is none.
  public func min<Wrapped: Comparable>() -> Wrapped? where Element == Wrapped? { compactMap { $0 }.min() }

  /// The greatest element that is not nil; nil if there is none.
  public func max<Wrapped: Comparable>() -> Wrapped? where Element == Wrapped? { compactMap { $0 }.max() }

  /// The sum of the elements that are not nil.
  public func sum<Wrapped: AdditiveArithmetic>() -> Wrapped where Element == Wrapped? {
    compactMap { $0 }.reduce(.zero, +)
  }

  /// The average of the elements that are not nil; nil if there is none.
  public func average<Wrapped: BinaryInteger>() -> Double? where Element == Wrapped? {
    mean(compactMap { $0 }.map { Double($0) })
  }

  /// The average of the elements that are not nil; nil if there is none.
  public func average<Wrapped: BinaryFloatingPoint>() -> Double? where Element == Wrapped? {
    mean(compactMap { $0 }.map { Double($0) })
  }
}

extension Map {
  /// The smallest value; nil if there is none.
  public func min() -> Value? where Value: Comparable { values.min() }

  /// The greatest value; nil if there is none.
  public func max() -> Value? where Value: Comparable { values.max() }

  /// The sum of the values.
  public func sum() -> Value where Value: AdditiveArithmetic { values.reduce(.zero, +) }

  /// The average of the values; nil if there is none.
  public func average() -> Double? where Value: BinaryInteger { mean(values.map { Double($0) }) }

  /// The average of the values; nil if there is none.
  public func average() -> Double? where Value: BinaryFloatingPoint { mean(values.map { Double($0) }) }

  /// The smallest value that is not nil; nil if there is none.
  public func min<Wrapped: Comparable>() -> Wrapped? where Value == Wrapped? {
    values.compactMap { $0 }.min()
  }

  /// The greatest value that is not nil; nil if there is none.
  public func max<Wrapped: Comparable>() -> Wrapped? where Value == Wrapped? {
    values.compactMap { $0 }.max()
  }

  /// The sum of the values that are not nil.
  public func sum<Wrapped: AdditiveArithmetic>() -> Wrapped where Value == Wrapped? {
    values.compactMap { $0 }.reduce(.zero, +)
  }

  /// The average of the values that are not nil; nil if there is none.
  public func average<Wrapped: BinaryInteger>() -> Double? where Value == Wrapped? {
    mean(values.compactMap { $0 }.map { Double($0) })
  }

  /// The average of the values that are not nil; nil if there is none.
  public func average<Wrapped: BinaryFloatingPoint>() -> Double? where Value == Wrapped? {
    mean(values.compactMap { $0 }.map { Double($0) })
  }
}

private func mean(_ numbers: [Double]) -> Double? {
  numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
}
