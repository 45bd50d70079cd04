// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection of distinct elements in a property of an object.
///
/// Until its object is added to a realm, the set holds its elements itself, in the order in which they were added;
/// from then on it reads and writes the realm, where elements are sorted by value. Links to objects that are not on
/// this device are not among the elements.
public final class MutableSet<Element: RealmCollectionValue>: _PersistedCollection {
  /// The elements while the set is in no realm.
  private var elements: [Element] = []

  public required init() { super.init() }

  /// The realm of the set's object; nil if the object has not been added to one.
  public var realm: Realm? { managed.map { Realm($0.realm) } }

  /// Whether the set's object was deleted from its realm.
  public var isInvalidated: Bool { managed?.isInvalidated ?? false }

  /// Whether the set contains the element.
  public func contains(_ element: Element) -> Bool { index(of: element) != nil }

  /// The index of an element; nil if the set does not contain it.
  public func index(of element: Element) -> Int? {
    guard let managed else { return elements.firstIndex { Self.areSame($0, element) } }
    return Self.index(of: element, in: managed)
  }

  private static func index(of element: Element, in set: ManagedCollection) -> Int? {
    if let object = element as? ObjectBase, object._managed == nil { return nil }
    return element._withFlex(nil) { set.index(of: $0) }
  }

  /// Adds an element unless it is already there. An object that is in no realm is added to the set's.
  public func insert(_ element: Element) {
    guard let managed else {
      if !contains(element) { elements.append(element) }
      return
    }
    element._withFlex(managed.realm) { managed.insert($0) }
  }

  /// Adds elements.
  public func insert<Elements: Sequence>(objectsIn elements: Elements) where Elements.Element == Element {
    // A copy, because the elements may belong to this set.
    for element in Array(elements) { insert(element) }
  }

  /// Removes an element if it is there.
  public func remove(_ element: Element) {
    guard let managed else {
      elements.removeAll { Self.areSame($0, element) }
      return
    }
    if let object = element as? ObjectBase, object._managed == nil { return }
    element._withFlex(nil) { managed.remove($0) }
  }

  /// Removes all elements.
  public func removeAll() {
    if let managed { managed.removeAll() } else { elements.removeAll() }
  }

  private static func areSame(_ left: Element, _ right: Element) -> Bool {
    if let left = left as? ObjectBase, let right = right as? ObjectBase { return left == right }
    return left._withFlex(nil) { left in
      right._withFlex(nil) { right in left.isIdentical(to: right) }
    }
  }

  // MARK: What differs from other collections

  override class var kind: CollectionKind { .set }

  override func dropContents() { elements = [] }

  override func replaceContents(of collection: ManagedCollection) {
    // Before the removal, because the set may be assigned to itself.
    let elements = Array(self)
    let set = MutableSet(emptying: collection)
    set.insert(objectsIn: elements)
  }

  override func isIdentical(to collection: ManagedCollection) -> Bool {
    collection.count == count && allSatisfy { Self.index(of: $0, in: collection) != nil }
  }
}

extension MutableSet: RandomAccessCollection, ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    insert(objectsIn: elements)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public func makeIterator() -> CollectionIterator<Element> {
    managed.map { CollectionIterator(self, $0) } ?? CollectionIterator(elements)
  }

  public var count: Int { managed?.count ?? elements.count }

  public subscript(index: Int) -> Element {
    if let tracer { return tracer.element() }
    guard let managed else { return elements[index] }
    return managed.realm.reading { Element._fromFlex(managed.element(at: index), managed.realm) }
  }
}

extension MutableSet: _Persistable {
  public static var _propertyType: _PropertyType { Element._propertyType.collected(in: .set) }

  /// Creates a set of the elements of an array or another collection; an empty one for nil.
  public static func _convert(_ value: Any) -> Self? {
    let known: [Element]? = if let same = value as? Self { Array(same) } else { Element.converted(value) }
    guard let elements = known else { return nil }
    let set = Self()
    set.insert(objectsIn: elements)
    return set
  }
}

extension MutableSet: _QueryCollection {
  public typealias _QueryElement = Element
}
