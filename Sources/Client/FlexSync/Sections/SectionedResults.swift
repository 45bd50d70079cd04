// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Sections of results, or one section.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, _ObservableCollection
where _Change == SectionedResultsChange<Self> {
  /// Whether the sections are those of a frozen realm.
  var isFrozen: Bool { get }

  /// Returns the sections as they are now, which never change, for use on any thread. See `Realm.freeze`.
  func freeze() -> Self

  /// Returns the live sections in the realm of the calling thread; nil if what they belong to was deleted.
  func thaw() -> Self?
}

/// Results in sections, each with the elements that have the same key. Live: the sections follow the realm.
///
/// ```swift
/// let sections = realm.objects(Task.self).sectioned(by: \.assignee, ascending: true)
/// for section in sections { print(section.key ?? "nobody", section.count) }
/// ```
///
/// Sections are in the order in which their keys first appear among the sorted elements.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
  RealmSectionedResult
{
  public typealias _ObservedElement = SectionElement

  let elements: SectionedElements<Key, SectionElement>

  /// The keys of the sections.
  public var allKeys: [Key] { elements.layout.keys }

  public var realm: Realm? { elements.results.realm }
  public var isInvalidated: Bool { elements.results.isInvalidated }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.layout.keys.count }

  /// The section at an index.
  public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
    ResultsSection(key: elements.layout.keys[index], elements: elements)
  }

  /// The element at an index of the section at another.
  public subscript(indexPath: IndexPath) -> SectionElement { self[indexPath.section][indexPath.item] }

  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
  ) -> NotificationToken {
    elements.observe(self, keyPaths, nil, block)
  }

  /// Sectioned results are equal if they are the same, not if they have the same sections.
  public static func == (left: SectionedResults, right: SectionedResults) -> Bool {
    left.elements === right.elements
  }
}

/// The elements of results that have the same key. Live.
public struct ResultsSection<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
  RealmSectionedResult, Identifiable
{
  public typealias _ObservedElement = Element

  /// The key that the elements have.
  public let key: Key
  let elements: SectionedElements<Key, Element>

  public var id: Key { key }
  public var realm: Realm? { elements.results.realm }

  /// Whether there are no elements with the key any more.
  public var isInvalidated: Bool { elements.layout.indexes[key] == nil }

  public var startIndex: Int { 0 }
  public var endIndex: Int { positions.count }

  public subscript(index: Int) -> Element { elements.results[positions[index]] }

  private var positions: [Int] {
    let layout = elements.layout
    return layout.indexes[key].map { layout.positions[$0] } ?? []
  }

  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
  ) -> NotificationToken {
    elements.observe(self, keyPaths, key, block)
  }

  /// Sections are equal if they have the same key in the same sectioned results.
  public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
    left.elements === right.elements && left.key == right.key
  }
}

/// A change of observed sections.
public enum SectionedResultsChange<Collection> {
  /// The first call.
  case initial(Collection)
  /// Index paths and sections of deletions, and index paths of modifications, refer to the state before the change,
  /// those of insertions to the state after it. Elements of a deleted section are not among the deletions.
  case update(
    Collection,
    deletions: [IndexPath],
    insertions: [IndexPath],
    modifications: [IndexPath],
    sectionsToInsert: IndexSet,
    sectionsToDelete: IndexSet
  )
}

/// Sorted results and their sections.
final class SectionedElements<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
  let results: Results<Element>
  private let key: (Element) -> Key
  private var cached: SectionLayout<Key>?
  /// The state of the realm that `cached` is of.
  private var stamp: UInt64 = 0

  init(_ results: Results<Element>, _ key: @escaping (Element) -> Key) {
    Misuse.require(
      (Key.self as? any RealmCollectionValue.Type)?._rowClass == nil,
      "Links are not supported as section keys."
    )
    self.results = results
    self.key = key
  }

  /// Returns the sections of other results, by the same key.
  func with(_ results: Results<Element>) -> SectionedElements { derivation(results) }

  /// Makes the sections of other results, without keeping these.
  var derivation: (Results<Element>) -> SectionedElements {
    let key = key
    return { SectionedElements($0, key) }
  }

  var layout: SectionLayout<Key> { results.handle.reading { currentLayout() } }

  private func currentLayout() -> SectionLayout<Key> {
    let current = results.handle.live.stamp
    if let cached, stamp == current { return cached }
    let layout = SectionLayout(results.lazy.map(key))
    (cached, stamp) = (layout, current)
    return layout
  }

  /// - Parameters:
  ///   - keyPaths: what counts as a modification of an element; none for the default.
  ///   - watched: the key of the only section to report; nil for all.
  func observe<Collection>(
    _ collection: Collection,
    _ keyPaths: [String],
    _ watched: Key?,
    _ block: @escaping (SectionedResultsChange<Collection>) -> Void
  ) -> NotificationToken {
    var known: SectionLayout<Key>?
    return results._observe(keyPaths) { change in
      let (old, new) = (known, self.layout)
      known = new
      guard let old, case .update(_, let deletions, let insertions, let modifications) = change else {
        return block(.initial(collection))
      }
      let changes = old.changes(
        to: new,
        deletions: deletions,
        insertions: insertions,
        modifications: modifications,
        watched: watched
      )
      if watched == nil || !changes.isEmpty { block(SectionedResultsChange(collection, changes)) }
    }
  }
}

extension SectionedResultsChange {
  fileprivate init(_ collection: Collection, _ changes: SectionChanges) {
    self = .update(
      collection,
      deletions: changes.deletions,
      insertions: changes.insertions,
      modifications: changes.modifications,
      sectionsToInsert: changes.insertedSections,
      sectionsToDelete: changes.deletedSections
    )
  }
}
