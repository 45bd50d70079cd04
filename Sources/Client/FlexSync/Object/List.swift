// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An ordered collection in a property of an object.
///
/// Until its object is added to a realm, the list holds its elements itself; from then on it reads and writes the
/// realm. Links to objects that are not on this device are not among the elements.
public final class List<Element: RealmCollectionValue>: _PersistedCollection {
  /// The elements while the list is in no realm.
  private var elements: [Element] = []

  public required init() { super.init() }

  /// The realm of the list's object; nil if the object has not been added to one.
  public var realm: Realm? { managed.map { Realm($0.realm) } }

  /// Whether the list's object was deleted from its realm.
  public var isInvalidated: Bool { managed?.isInvalidated ?? false }

  /// Appends an element. An object that is in no realm is added to the list's.
  public func append(_ element: Element) { insert(element, at: count) }

  /// Appends elements in order.
  public func append<Elements: Sequence>(objectsIn elements: Elements) where Elements.Element == Element {
    // A copy, because the elements may belong to this list.
    for element in Array(elements) { append(element) }
  }

  /// Inserts an element before `index`, which may equal the count.
  public func insert(_ element: Element, at index: Int) {
    guard let managed else {
      Misuse.requireIndex(index, below: elements.count + 1)
      return elements.insert(element, at: index)
    }
    Misuse.requireNotNegative(index)
    if let embedded = element._embedded { return managed.embed(embedded, before: index) }
    element._write(to: .insertion(managed, index), managed.realm)
  }

  /// Removes the element at `index`.
  public func remove(at index: Int) {
    guard let managed else {
      Misuse.requireIndex(index, below: elements.count)
      elements.remove(at: index)
      return
    }
    Misuse.requireNotNegative(index)
    managed.remove(at: index)
  }

  /// Removes the first element.
  public func removeFirst() { remove(at: startIndex) }

  /// Removes the last element.
  public func removeLast() { remove(at: index(before: endIndex)) }

  /// Removes all elements.
  public func removeAll() {
    if let managed { managed.removeAll() } else { elements.removeAll() }
  }

  /// Moves an element, which ends up at index `to`.
  public func move(from: Int, to: Int) {
    Misuse.requireNotNegative(from, name: "from")
    Misuse.requireNotNegative(to, name: "to")
    guard let managed else {
      Misuse.requireIndex(from, below: elements.count)
      Misuse.requireIndex(to, below: elements.count)
      return elements.insert(elements.remove(at: from), at: to)
    }
    managed.move(from: from, to: to)
  }

  /// Exchanges two elements.
  public func swapAt(_ first: Int, _ second: Int) {
    guard first != second else { return }
    let element = self[first]
    self[first] = self[second]
    self[second] = element
  }

  /// Replaces the element at `index`.
  public func replace(index: Int, object: Element) { self[index] = object }

  // MARK: What differs from other collections

  override class var kind: CollectionKind { .list }

  override func dropContents() { elements = [] }

  override func replaceContents(of collection: ManagedCollection) {
    // Before the removal, because the list may be assigned to itself.
    let elements = Array(self)
    let list = List(emptying: collection)
    list.append(objectsIn: elements)
  }

  override func updateContents(of list: ManagedCollection) {
    let elements = compactMap(\._embedded)
    let kept = list.count
    for (index, element) in elements.enumerated() {
      if index < kept {
        list.embed(element, at: index, isUpdate: true)
      } else {
        list.embed(element, before: index)
      }
    }
    while list.count > elements.count { list.remove(at: list.count - 1) }
  }

  override func isIdentical(to collection: ManagedCollection) -> Bool {
    guard count == collection.count else { return false }
    return indices.allSatisfy { index in
      self[index]._withFlex(collection.realm) { $0.isIdentical(to: collection.element(at: index)) }
    }
  }
}

extension List {
  /// The index of the first element that equals `element`; nil if there is none.
  public func index(of element: Element) -> Int? { firstIndex(of: element) }
}

extension List: RandomAccessCollection, ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    append(objectsIn: elements)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public func makeIterator() -> CollectionIterator<Element> {
    managed.map { CollectionIterator(self, $0) } ?? CollectionIterator(elements)
  }

  public var count: Int { managed?.count ?? elements.count }

  public subscript(index: Int) -> Element {
    get {
      if let tracer { return tracer.element() }
      guard let managed else {
        Misuse.requireIndex(index, below: elements.count)
        return elements[index]
      }
      Misuse.requireNotNegative(index)
      return managed.realm.reading {
        Element._fromFlex(managed.element(at: index), managed.realm, at: .element(managed, index))
      }
    }
    set {
      guard let managed else {
        Misuse.requireIndex(index, below: elements.count)
        return elements[index] = newValue
      }
      Misuse.requireNotNegative(index)
      if let embedded = newValue._embedded { return managed.embed(embedded, at: index) }
      newValue._write(to: .element(managed, index), managed.realm)
    }
  }
}

extension List: _Persistable {
  public static var _propertyType: _PropertyType { Element._propertyType.collected(in: .list) }

  /// Creates a list of the elements of an array or another collection; an empty one for nil.
  public static func _convert(_ value: Any) -> Self? {
    let known: [Element]? = if let same = value as? Self { Array(same) } else { Element.converted(value) }
    guard let elements = known else { return nil }
    let list = Self()
    list.append(objectsIn: elements)
    return list
  }
}
