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
}
