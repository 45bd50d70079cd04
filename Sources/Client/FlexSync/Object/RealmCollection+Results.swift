// SPDX-License-Identifier: Apache-2.0

/// Queries of a list or set of objects in a realm.
extension RealmCollection where Self: _PersistedCollection, Element: ObjectBase {
  /// The objects as live results; those of a list are in its order.
  private var results: Results<Element> { observable.results() }

  /// Returns the objects that also satisfy a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    results.where(isIncluded)
  }

  /// Returns the objects that also match a query. See `Results.filter`.
  public func filter(_ query: String, _ arguments: Any...) -> Results<Element> {
    results.matching(RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Returns the same objects, ordered by a property or by a path through links such as "owner.name".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    results.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// Returns the same objects in a different order; the first descriptor takes precedence.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> { results.sorted(by: descriptors) }

  /// Returns the same objects, ordered by a property.
  public func sorted<Value: _Persistable>(by keyPath: KeyPath<Element, Value>, ascending: Bool = true)
    -> Results<Element>
  {
    results.sorted(by: keyPath, ascending: ascending)
  }

  /// Returns one object for each combination of values of the properties. See `Results.distinct`.
  public func distinct(by keyPaths: [String]) -> Results<Element> { results.distinct(by: keyPaths) }

  /// The index of the first object that satisfies a condition; nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    results.index(matching: isIncluded)
  }
}

/// Aggregates of a property over the objects of a list or set in a realm. Objects in which the property is nil are
/// skipped.
extension RealmCollection where Self: _PersistedCollection, Element: ObjectBase {
  /// The smallest value of a property; nil if there are no values.
  public func min<Value: MinMaxType>(ofProperty name: String) -> Value? { results.min(ofProperty: name) }

  /// The smallest value of a property; nil if there are no values.
  public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
    results.min(of: keyPath)
  }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: MinMaxType>(ofProperty name: String) -> Value? { results.max(ofProperty: name) }

  /// The greatest value of a property; nil if there are no values.
  public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
    results.max(of: keyPath)
  }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: AddableType>(ofProperty name: String) -> Value { results.sum(ofProperty: name) }

  /// The sum of the values of a property. Integers wrap around.
  public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Value {
    results.sum(of: keyPath)
  }

  /// The average of a property; nil if there are no values.
  public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Double? {
    results.average(of: keyPath)
  }

  /// The average of a property; nil if there are no values. An integer average is truncated.
  public func average<Value: AddableType>(ofProperty name: String) -> Value? {
    results.average(ofProperty: name)
  }
}
