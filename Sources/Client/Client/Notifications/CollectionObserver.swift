// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Reports which elements of a list or set, or entries of a dictionary, were inserted, deleted or modified.
final class CollectionObserver<Element, Place: Equatable>: Observer {
  typealias Compare = (_ old: [Element], _ new: [Element], _ isTouched: (Value) -> Bool) -> Diff<Place>

  private let watch: CollectionWatch
  /// Finds the modified elements; nil if the elements are not objects of one class.
  private let finder: ModificationFinder?
  private let read: () throws -> [Element]
  private let compare: Compare
  private let report: (Diff<Place>) -> Void
  /// The elements at the last report; nil before the first one.
  private var elements: [Element]?

  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS, TYPE_MISMATCH for key paths of elements that are not objects.
  init(
    _ watch: CollectionWatch,
    _ keyPaths: [String],
    _ read: @escaping () throws -> [Element],
    _ compare: @escaping Compare,
    _ report: @escaping (Diff<Place>) -> Void
  ) throws {
    self.watch = watch
    finder = try watch.finder(keyPaths)
    self.read = read
    self.compare = compare
    self.report = report
  }

  func deliver(_ delivery: Delivery) throws {
    // The realm was invalidated, which ends the observation.
    if watch.object.isOfEarlierEra { return }
    let modified = try finder?.modified(by: delivery.touched) ?? .none
    guard let old = elements else {
      elements = try read()
      return report(.initial)
    }
    guard watch.isConcerned(by: delivery.touched) || !modified.isEmpty else { return }
    let new = try read()
    elements = new
    let diff = compare(old, new, watch.linksToModified(modified, delivery.touched))
    if !diff.isEmpty, !delivery.isSilenced { report(diff) }
  }
}

/// The subject of collection observers: one property of one object, or a collection nested in it.
struct CollectionWatch {
  let object: ManagedObject
  let column: Column
  /// The collection in a mixed value; nil for that of the property.
  var nested: NestedCollection?

  /// Whether the collection may have changed, or the set of objects that its links can lead to.
  func isConcerned(by touched: TouchedRows) -> Bool {
    if touched[object.info.name]?.columns(of: object.row)?.contains(column.index) ?? false { return true }
    switch column.schema.type {
    case .link: return column.schema.linkTarget.flatMap { touched[$0]?.isMembershipTouched } ?? false
    case .mixed: return !touched.isEmpty
    default: return false
    }
  }

  /// Returns what finds modified elements; nil if the elements are not objects of one class.
  ///
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS, TYPE_MISMATCH.
  fileprivate func finder(_ keyPaths: [String]) throws -> ModificationFinder? {
    let schema = object.realm.schema
    if let target = column.schema.linkTarget {
      return try ModificationFinder(object.realm, try schema.requireClass(named: target), keyPaths)
    }
    guard keyPaths.isEmpty else {
      throw CoreError(
        .typeMismatch,
        "The elements of '\(column.path)' are not objects, and only properties of objects can be observed by key path."
      )
    }
    return nil
  }

  /// Returns the elements of the list or set that are visible to the app; none once its object is deleted.
  func elements() throws -> [Value] {
    guard object.isValid else { return [] }
    if let nested { return try nested.ifThere { try $0.elements() } ?? [] }
    let store = object.realm.store
    let stored =
      column.isList
      ? try store.listValues(row: object.row, column) : try store.setValues(row: object.row, column)
    guard column.schema.type == .link else { return stored }
    return try store.visibleWireIndexes(row: object.row, column).map { stored[$0] }
  }

  /// Returns the entries of the dictionary; none once its object is deleted.
  func entries() throws -> [DictionaryEntry] {
    guard object.isValid else { return [] }
    if let nested { return try nested.ifThere { try $0.entries() } ?? [] }
    let store = object.realm.store
    return try store.dictionaryEntries(row: object.row, column).map {
      DictionaryEntry($0.key, try store.visible($0.value))
    }
  }

  /// Returns the rows of the objects that are visible to the app: of a list or set in its order, of a dictionary in the
  /// order of its keys.
  func targetRows() throws -> [Int64] {
    guard object.isValid else { return [] }
    let store = object.realm.store
    guard column.schema.collection == .dictionary else {
      return try store.visibleTargetRows(row: object.row, column)
    }
    return try links().compactMap { try store.row(of: ObjectReference(table: $0.className, key: $0.key)) }
  }

  /// Returns the links to objects that are visible to the app.
  func links() throws -> [Link] {
    let values = try column.schema.collection == .dictionary ? entries().map(\.value) : elements()
    return values.compactMap { if case .link(let link) = $0 { link } else { nil } }
  }

  /// Returns a predicate that tests whether a value links to a modified object.
  ///
  /// - Parameter modified: the modified objects, if all elements are of one class. For a mixed collection, those that
  ///   were written count.
  func linksToModified(_ modified: ModifiedRows, _ touched: TouchedRows) -> (Value) -> Bool {
    let store = object.realm.store
    let isMixed = column.schema.linkTarget == nil
    return { value in
      guard case .link(let link) = value else { return false }
      let rows = isMixed ? ModifiedRows(touched[link.className]) : modified
      // An object that cannot be read counts as unchanged; reading it reports the error.
      guard !rows.isEmpty, let row = try? store.row(of: ObjectReference(table: link.className, key: link.key))
      else { return false }
      return rows.contains(row)
    }
  }
}

extension CollectionWatch {
  /// Observes the elements of the list or set.
  ///
  /// - Parameter keyPaths: what counts as a modification of an element; see `ModificationFinder`.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS, TYPE_MISMATCH.
  func observeElements(_ keyPaths: [String], _ report: @escaping (CollectionDiff) -> Void) throws
    -> NotificationToken
  {
    let isList = column.isList || nested != nil
    let compare: CollectionObserver<Value, Int>.Compare = { old, new, isTouched in
      CollectionDiff(old: old, new: new, isOrdered: isList, isTouched: isTouched)
    }
    return try object.realm.addReportingObserver(
      CollectionObserver(self, keyPaths, elements, compare, report)
    )
  }

  /// Observes the entries of the dictionary, like `observeElements`.
  func observeEntries(_ keyPaths: [String], _ report: @escaping (DictionaryDiff) -> Void) throws
    -> NotificationToken
  {
    try object.realm.addReportingObserver(
      CollectionObserver(self, keyPaths, entries, DictionaryDiff.init(old:new:isTouched:), report)
    )
  }
}
