// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Reports which elements of a list or set, or entries of a dictionary, were inserted, deleted or modified.
final class CollectionObserver<Element, Place: Equatable>: Observer {
  typealias Compare = (_ old: [Element], _ new: [Element], _ isTouched: (Value) -> Bool) -> Diff<Place>

  private let watch: CollectionWatch
  private let read: () throws -> [Element]
  private let compare: Compare
  private let report: (Diff<Place>) -> Void
  /// The elements at the last report; nil before the first one.
  private var elements: [Element]?

  init(
    _ watch: CollectionWatch,
    _ read: @escaping () throws -> [Element],
    _ compare: @escaping Compare,
    _ report: @escaping (Diff<Place>) -> Void
  ) {
    self.watch = watch
    self.read = read
    self.compare = compare
    self.report = report
  }

  func deliver(_ touched: TouchedRows) throws {
    guard let old = elements else {
      elements = try read()
      return report(.initial)
    }
    guard watch.isConcerned(by: touched) else { return }
    let new = try read()
    elements = new
    let diff = compare(old, new, watch.touchedLinks(touched))
    if !diff.isEmpty { report(diff) }
  }
}

/// The subject of collection observers: one property of one object.
struct CollectionWatch {
  let object: ManagedObject
  let column: Column

  /// Whether the collection, or an object that it links to, may have changed.
  func isConcerned(by touched: TouchedRows) -> Bool {
    if touched[object.info.name]?.columns(of: object.row)?.contains(column.index) ?? false { return true }
    switch column.schema.type {
    case .link: return column.schema.linkTarget.map { touched[$0] != nil } ?? false
    case .mixed: return !touched.isEmpty
    default: return false
    }
  }

  /// Returns the elements of the list or set that are visible to the app; none once its object is deleted.
  func elements() throws -> [Value] {
    guard object.isValid else { return [] }
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

  /// Returns a predicate that tests whether a value links to an object that was written.
  func touchedLinks(_ touched: TouchedRows) -> (Value) -> Bool {
    let store = object.realm.store
    return { value in
      // An object that cannot be read counts as unchanged; reading it reports the error.
      guard case .link(let link) = value, let rows = touched[link.className],
        let row = try? store.row(of: ObjectReference(table: link.className, key: link.key))
      else { return false }
      return rows.contains(row)
    }
  }
}

extension CollectionWatch {
  /// Observes the elements of the list or set.
  func observeElements(_ report: @escaping (CollectionDiff) -> Void) -> NotificationToken {
    let isList = column.isList
    let compare: CollectionObserver<Value, Int>.Compare = { old, new, isTouched in
      CollectionDiff(old: old, new: new, isOrdered: isList, isTouched: isTouched)
    }
    return object.realm.addReportingObserver(CollectionObserver(self, elements, compare, report))
  }

  /// Observes the entries of the dictionary.
  func observeEntries(_ report: @escaping (DictionaryDiff) -> Void) -> NotificationToken {
    object.realm.addReportingObserver(
      CollectionObserver(self, entries, DictionaryDiff.init(old:new:isTouched:), report)
    )
  }
}
