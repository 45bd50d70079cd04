// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension List where Element: ObjectBase {
  /// The objects as live results, in the order of the list.
  private var results: Results<Element> {
    let (pointer, realm) = observable
    var results: OpaquePointer?
    trapOnMisuse { flx_list_get_results(pointer, &results, $0) }
    return Results(ResultsBox(takingOver: results), realm)
  }

  /// Returns the objects that also satisfy a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    results.where(isIncluded)
  }

  /// Returns the objects that also match a query. See `Results.filter`.
  public func filter(_ query: String, _ arguments: Any...) -> Results<Element> {
    do { return try results.filtered(RenderedQuery(text: query, anyArguments: arguments)) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the same objects, ordered by a property or by a path through links such as "owner.name".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    results.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// Returns the same objects in a different order; the first descriptor takes precedence.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> { results.sorted(by: descriptors) }
}

extension MutableSet where Element: ObjectBase {
  /// The objects as live results.
  private var results: Results<Element> {
    let (pointer, realm) = observable
    var results: OpaquePointer?
    trapOnMisuse { flx_set_get_results(pointer, &results, $0) }
    return Results(ResultsBox(takingOver: results), realm)
  }

  /// Returns the objects that also satisfy a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    results.where(isIncluded)
  }

  /// Returns the objects that also match a query. See `Results.filter`.
  public func filter(_ query: String, _ arguments: Any...) -> Results<Element> {
    do { return try results.filtered(RenderedQuery(text: query, anyArguments: arguments)) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the same objects, ordered by a property or by a path through links such as "owner.name".
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    results.sorted(byKeyPath: keyPath, ascending: ascending)
  }

  /// Returns the same objects in a different order; the first descriptor takes precedence.
  public func sorted(by descriptors: [SortDescriptor]) -> Results<Element> { results.sorted(by: descriptors) }
}
