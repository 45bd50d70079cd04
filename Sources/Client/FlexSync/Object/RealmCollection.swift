// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection of a realm: results, a list, a set, linking objects, or an `AnyRealmCollection` of them.
///
/// Sorting and queries need a collection in a realm, and give live `Results`.
public protocol RealmCollection: RandomAccessCollection, _LiveElements, _KeyValueCollection,
  CustomStringConvertible, _ObservableCollection, Equatable
where
  Element: RealmCollectionValue, Index == Int, _LiveElement == Element,
  _Change == RealmCollectionChange<Self>, _ObservedElement == Element
{
  /// Another name of the type of the elements, also for the conditions of generic code.
  typealias ElementType = Element

  /// The index of the first element that equals `element`; nil if there is none.
  func index(of element: Element) -> Int?

  /// Whether the collection is that of a frozen realm.
  var isFrozen: Bool { get }

  /// Returns the collection with its present contents, which never change, for use on any thread. See `Realm.freeze`.
  func freeze() -> Self

  /// Returns the live collection for the calling thread; nil if its object was deleted. A live one returns itself.
  func thaw() -> Self?

  /// What copies of the collection have in common; nil if there is nothing.
  var _identity: AnyObject? { get }
}

extension RealmCollection {
  /// The index of the first object that satisfies a condition; nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    index(matching: isIncluded(Query<Element>.root).rendered)
  }

  /// The index of the first object that matches a query, as in `filter`; nil if there is none.
  public func index(matching query: String, _ arguments: Any...) -> Int? {
    index(matching: RenderedQuery(text: query, anyArguments: arguments))
  }

  /// The index of the first object that satisfies a predicate, as in `filter`; nil if there is none.
  public func index(matching predicate: NSPredicate) -> Int? { index(matching: RenderedQuery(predicate)) }

  private func index(matching query: RenderedQuery) -> Int? {
    guard _isInRealm else { return searchedIndex(matching: query) }
    return _results.matching(query).first.flatMap(index(of:))
  }

  public var description: String { description(toDepth: maximumDescriptionDepth) }
}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}

extension RealmCollection where Self: _PersistedCollection {
  public var _results: Results<Element> { liveResults { elements in elements.indices.map { elements[$0] } } }
  public var _identity: AnyObject? { self }
  public var _isInRealm: Bool { managed != nil }

  /// Collections in a realm are equal if they belong to the same property of the same object, others if their elements
  /// are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.isSamePlace(as: right) ?? (left.count == right.count && left.elementsEqual(right))
  }

  /// Whether the other value is an equal collection.
  public func isEqual(_ object: Any?) -> Bool { (object as? Self) == self }
}
