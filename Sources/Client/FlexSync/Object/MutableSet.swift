// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A collection of distinct elements in a property of an object.
///
/// Until its object is added to a realm, the set holds its elements itself, in the order in which they were added;
/// from then on it reads and writes the realm, where elements are sorted by value. Links to objects that are not on
/// this device are not among the elements.
public final class MutableSet<Element: RealmCollectionValue> {
  /// The elements while the set is in no realm.
  private var elements: [Element] = []
  private var managed: (pointer: OpaquePointer, realm: _RealmHandle)?

  public required init() {}

  /// Takes ownership of the caller's reference to `pointer`.
  private init(takingOver pointer: OpaquePointer, _ realm: _RealmHandle) {
    managed = (pointer, realm)
  }

  deinit { flx_set_release(managed?.pointer) }

  /// The handle to observe.
  var observable: (pointer: OpaquePointer, realm: _RealmHandle) {
    guard let managed else {
      preconditionFailure("Only collections which are managed by a Realm support change notifications")
    }
    return managed
  }

  /// The realm of the set's object; nil if the object has not been added to one.
  public var realm: Realm? { managed.map { Realm($0.realm) } }

  /// Whether the set's object was deleted from its realm.
  public var isInvalidated: Bool {
    guard let (pointer, _) = managed else { return false }
    var count = 0
    return flx_set_count(pointer, &count, nil) != .FLX_STATUS_OK
  }

  /// Whether the set contains the element.
  public func contains(_ element: Element) -> Bool { index(of: element) != nil }

  /// The index of an element; nil if the set does not contain it.
  public func index(of element: Element) -> Int? {
    guard let (pointer, _) = managed else { return elements.firstIndex { Self.areSame($0, element) } }
    if let object = element as? ObjectBase, object._managed == nil { return nil }
    var index = 0
    element._withFlex(nil) { value in trapOnMisuse { flx_set_find(pointer, value, &index, $0) } }
    return index == Int(bitPattern: UInt.max) ? nil : index
  }

  /// Adds an element unless it is already there. An object that is in no realm is added to the set's.
  public func insert(_ element: Element) {
    guard let (pointer, realm) = managed else {
      if !contains(element) { elements.append(element) }
      return
    }
    element._withFlex(realm) { value in realm.perform { flx_set_insert(pointer, value, nil, $0) } }
  }

  /// Adds elements.
  public func insert<Elements: Sequence>(objectsIn elements: Elements) where Elements.Element == Element {
    // A copy, because the elements may belong to this set.
    for element in Array(elements) { insert(element) }
  }

  /// Removes an element if it is there.
  public func remove(_ element: Element) {
    guard let (pointer, realm) = managed else {
      elements.removeAll { Self.areSame($0, element) }
      return
    }
    if let object = element as? ObjectBase, object._managed == nil { return }
    element._withFlex(nil) { value in realm.perform { flx_set_erase(pointer, value, nil, $0) } }
  }

  /// Removes all elements.
  public func removeAll() {
    guard let (pointer, realm) = managed else { return elements.removeAll() }
    realm.perform { flx_set_clear(pointer, $0) }
  }

  private static func areSame(_ left: Element, _ right: Element) -> Bool {
    if let left = left as? ObjectBase, let right = right as? ObjectBase { return left == right }
    return left._withFlex(nil) { left in
      right._withFlex(nil) { right in left.pointee.isIdentical(to: right.pointee) }
    }
  }
}

extension MutableSet: RandomAccessCollection, ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    insert(objectsIn: elements)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public var count: Int {
    guard let (pointer, _) = managed else { return elements.count }
    var count = 0
    trapOnMisuse { flx_set_count(pointer, &count, $0) }
    return count
  }

  public subscript(index: Int) -> Element {
    guard let (pointer, realm) = managed else { return elements[index] }
    var value = flx_value_t()
    trapOnMisuse { flx_set_get(pointer, index, &value, $0) }
    return Element._fromFlex(value, realm)
  }
}

extension MutableSet: _Persistable {
  public static var _propertyType: _PropertyType {
    var type = Element._propertyType
    type.collection = .FLX_COLLECTION_SET
    return type
  }

  public static func _defaultValue() -> MutableSet { MutableSet() }
  public static var _isDefaultOfNewRow: Bool { true }

  /// Creates a set of the elements of another set, a list or an array.
  public static func _convert(_ value: Any) -> Self? {
    let set = Self()
    if let elements = value as? MutableSet {
      set.insert(objectsIn: elements)
      return set
    }
    if let elements = value as? List<Element> {
      set.insert(objectsIn: elements)
      return set
    }
    guard let elements = value as? [Any] ?? (value as? Set<AnyHashable>).map(Array.init) else { return nil }
    for element in elements {
      guard let converted = Element._convert(element) else { return nil }
      set.insert(converted)
    }
    return set
  }

  public static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> MutableSet {
    MutableSet(takingOver: open(object, property), object.realm)
  }

  private static func open(_ object: _ManagedObject, _ property: flx_property_key_t) -> OpaquePointer {
    var pointer: OpaquePointer?
    trapOnMisuse { flx_object_get_set(object.pointer, property, &pointer, $0) }
    guard let pointer else { preconditionFailure("opening a set returned no handle") }
    return pointer
  }

  /// Replaces the elements.
  public static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: MutableSet) {
    // Before the removal, because the set may be assigned to itself.
    let elements = Array(value)
    let set = _get(object, property)
    if !set.isEmpty { set.removeAll() }
    set.insert(objectsIn: elements)
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: flx_property_key_t,
    _ value: MutableSet
  ) {
    let current = _get(object, property)
    let isSame = current.count == value.count && value.allSatisfy { current.contains($0) }
    if !isSame { _set(object, property, value) }
  }

  /// A set that the program still references becomes the set of the row.
  public static func _didMove(_ value: MutableSet, to object: _ManagedObject, _ property: flx_property_key_t)
  {
    guard value.managed == nil else { return }
    value.managed = (open(object, property), object.realm)
    value.elements = []
  }
}

extension MutableSet: _QueryCollection {}
