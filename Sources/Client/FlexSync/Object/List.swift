// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An ordered collection in a property of an object.
///
/// Until its object is added to a realm, the list holds its elements itself; from then on it reads and writes the
/// realm. Links to objects that are not on this device are not among the elements.
public final class List<Element: RealmCollectionValue> {
  /// The elements while the list is in no realm.
  private var elements: [Element] = []
  private var managed: (pointer: OpaquePointer, realm: _RealmHandle)?

  public required init() {}

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer, _ realm: _RealmHandle) {
    managed = (pointer, realm)
  }

  deinit { flx_list_release(managed?.pointer) }

  /// The handle to observe.
  var observable: (pointer: OpaquePointer, realm: _RealmHandle) {
    guard let managed else {
      preconditionFailure("Only collections which are managed by a Realm support change notifications")
    }
    return managed
  }

  /// The realm of the list's object; nil if the object has not been added to one.
  public var realm: Realm? { managed.map { Realm($0.realm) } }

  /// Whether the list's object was deleted from its realm.
  public var isInvalidated: Bool {
    guard let (pointer, _) = managed else { return false }
    var count = 0
    return flx_list_count(pointer, &count, nil) != .FLX_STATUS_OK
  }

  /// Appends an element. An object that is in no realm is added to the list's.
  public func append(_ element: Element) { insert(element, at: count) }

  /// Appends elements in order.
  public func append<Elements: Sequence>(objectsIn elements: Elements) where Elements.Element == Element {
    // A copy, because the elements may belong to this list.
    for element in Array(elements) { append(element) }
  }

  /// Inserts an element before `index`, which may equal the count.
  public func insert(_ element: Element, at index: Int) {
    guard let (pointer, realm) = managed else { return elements.insert(element, at: index) }
    if let embedded = element._embedded {
      return realm.embed(embedded, replacing: nil) { flx_list_insert_embedded(pointer, index, &$0, $1) }
    }
    element._write(to: .insertion(pointer, index), realm)
  }

  /// Removes the element at `index`.
  public func remove(at index: Int) {
    guard let (pointer, realm) = managed else {
      elements.remove(at: index)
      return
    }
    realm.perform { flx_list_erase(pointer, index, $0) }
  }

  /// Removes the first element.
  public func removeFirst() { remove(at: startIndex) }

  /// Removes the last element.
  public func removeLast() { remove(at: index(before: endIndex)) }

  /// Removes all elements.
  public func removeAll() {
    guard let (pointer, realm) = managed else { return elements.removeAll() }
    realm.perform { flx_list_clear(pointer, $0) }
  }

  /// Moves an element, which ends up at index `to`.
  public func move(from: Int, to: Int) {
    guard let (pointer, realm) = managed else { return elements.insert(elements.remove(at: from), at: to) }
    realm.perform { flx_list_move(pointer, from, to, $0) }
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
}

extension List where Element: Equatable {
  /// The index of the first element that equals `element`.
  public func index(of element: Element) -> Int? { firstIndex(of: element) }
}

extension List: RandomAccessCollection, ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    append(objectsIn: elements)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public var count: Int {
    guard let (pointer, _) = managed else { return elements.count }
    var count = 0
    trapOnMisuse { flx_list_count(pointer, &count, $0) }
    return count
  }

  public subscript(index: Int) -> Element {
    get {
      guard let (pointer, realm) = managed else { return elements[index] }
      return Element._fromFlex(element(at: index, of: pointer), realm, at: .element(pointer, index))
    }
    set {
      guard let (pointer, realm) = managed else { return elements[index] = newValue }
      if let embedded = newValue._embedded {
        return realm.embed(embedded, replacing: element(at: index, of: pointer)) {
          flx_list_set_embedded(pointer, index, &$0, $1)
        }
      }
      newValue._write(to: .element(pointer, index), realm)
    }
  }
}

extension List {
  fileprivate func element(at index: Int, of pointer: OpaquePointer) -> flx_value_t {
    var value = flx_value_t()
    trapOnMisuse { flx_list_get(pointer, index, &value, $0) }
    return value
  }
}

extension List: _Persistable {
  public static var _propertyType: _PropertyType {
    var type = Element._propertyType
    type.collection = .FLX_COLLECTION_LIST
    return type
  }

  public static func _defaultValue() -> List { List() }
  public static var _isDefaultOfNewRow: Bool { true }

  /// Creates a list of the elements of another list or an array.
  public static func _convert(_ value: Any) -> Self? {
    let list = Self()
    if let elements = value as? List {
      list.append(objectsIn: elements)
      return list
    }
    guard let elements = value as? [Any] else { return nil }
    for element in elements {
      guard let converted = Element._convert(element) else { return nil }
      list.append(converted)
    }
    return list
  }

  public static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> List {
    List(takingOver: open(object, property), object.realm)
  }

  private static func open(_ object: _ManagedObject, _ property: flx_property_key_t) -> OpaquePointer {
    var pointer: OpaquePointer?
    trapOnMisuse { flx_object_get_list(object.pointer, property, &pointer, $0) }
    guard let pointer else { preconditionFailure("opening a list returned no handle") }
    return pointer
  }

  /// Replaces the elements.
  public static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: List) {
    // Before the removal, because the list may be assigned to itself.
    let elements = Array(value)
    let list = _get(object, property)
    if !list.isEmpty { list.removeAll() }
    list.append(objectsIn: elements)
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: flx_property_key_t,
    _ value: List
  ) {
    if !_get(object, property).isIdentical(to: value) { _set(object, property, value) }
  }

  /// Whether the other list has the same elements. Any objects in it that are in no realm are added to this list's.
  private func isIdentical(to other: List) -> Bool {
    guard let (pointer, realm) = managed, count == other.count else { return false }
    return indices.allSatisfy { index in
      other[index]._withFlex(realm) { new in
        var old = flx_value_t()
        trapOnMisuse { flx_list_get(pointer, index, &old, $0) }
        return new.pointee.isIdentical(to: old)
      }
    }
  }

  /// A list that the program still references becomes the list of the row.
  public static func _didMove(_ value: List, to object: _ManagedObject, _ property: flx_property_key_t) {
    guard value.managed == nil else { return }
    value.attach(to: open(object, property), object.realm)
  }

  /// Attaches the list to that handle, taking ownership of it, unless the list is already in a realm.
  func attach(to pointer: OpaquePointer?, _ realm: _RealmHandle) {
    guard managed == nil, let pointer else { return flx_list_release(pointer) }
    managed = (pointer, realm)
    elements = []
  }
}
