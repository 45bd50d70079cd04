// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An ordered collection in a property of an object.
///
/// Until its object is added to a realm it holds its elements itself; afterwards it reads and writes the realm. Links to
/// objects that are not on this device are not among the elements.
public final class List<Element: RealmCollectionValue> {
  private enum Storage {
    case unmanaged([Element])
    case managed(OpaquePointer, _RealmHandle)
  }

  private var storage: Storage

  public required init() { storage = .unmanaged([]) }

  /// Takes over the caller's reference to `pointer`.
  fileprivate init(takingOver pointer: OpaquePointer, _ realm: _RealmHandle) {
    storage = .managed(pointer, realm)
  }

  deinit {
    if case .managed(let pointer, _) = storage { flx_list_release(pointer) }
  }

  /// The realm of the list's object; nil if it was not added to one.
  public var realm: Realm? {
    if case .managed(_, let realm) = storage { return Realm(realm) }
    return nil
  }

  private func edit(
    _ unmanaged: (inout [Element]) -> Void,
    _ managed: (OpaquePointer, _RealmHandle) -> Void
  ) {
    switch storage {
    case .unmanaged(var elements):
      unmanaged(&elements)
      storage = .unmanaged(elements)
    case .managed(let pointer, let realm):
      managed(pointer, realm)
    }
  }

  /// Appends an element; an object that is in no realm is added to the list's.
  public func append(_ element: Element) { insert(element, at: count) }

  /// Appends elements in order.
  public func append<Elements: Sequence>(objectsIn elements: Elements) where Elements.Element == Element {
    for element in elements { append(element) }
  }

  /// Inserts before `index`, which may be the count.
  public func insert(_ element: Element, at index: Int) {
    edit {
      $0.insert(element, at: index)
    } _: { pointer, realm in
      element._withFlex(realm) { value in realm.perform { flx_list_insert(pointer, index, value, $0) } }
    }
  }

  /// Removes the element at `index`.
  public func remove(at index: Int) {
    edit {
      $0.remove(at: index)
    } _: { pointer, realm in
      realm.perform { flx_list_erase(pointer, index, $0) }
    }
  }

  /// Removes all elements.
  public func removeAll() {
    edit {
      $0.removeAll()
    } _: { pointer, realm in
      realm.perform { flx_list_clear(pointer, $0) }
    }
  }

  /// Moves an element so that it ends up at index `to`.
  public func move(from: Int, to: Int) {
    edit {
      $0.insert($0.remove(at: from), at: to)
    } _: { pointer, realm in
      realm.perform { flx_list_move(pointer, from, to, $0) }
    }
  }

  /// Replaces the element at `index`.
  public func replace(index: Int, object: Element) { self[index] = object }
}

extension List: RandomAccessCollection, ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) {
    self.init()
    append(objectsIn: elements)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  public var count: Int {
    switch storage {
    case .unmanaged(let elements): return elements.count
    case .managed(let pointer, _):
      var count = 0
      trapOnMisuse { flx_list_count(pointer, &count, $0) }
      return count
    }
  }

  public subscript(index: Int) -> Element {
    get {
      switch storage {
      case .unmanaged(let elements): return elements[index]
      case .managed(let pointer, let realm):
        var value = flx_value_t()
        trapOnMisuse { flx_list_get(pointer, index, &value, $0) }
        return Element._fromFlex(value, realm)
      }
    }
    set {
      edit {
        $0[index] = newValue
      } _: { pointer, realm in
        newValue._withFlex(realm) { value in realm.perform { flx_list_set(pointer, index, value, $0) } }
      }
    }
  }
}

extension List: _Persistable {
  public static var _propertyType: _PropertyType {
    var type = Element._propertyType
    type.collection = .FLX_COLLECTION_LIST
    return type
  }

  public static func _defaultValue() -> List { List() }

  public static func _convert(_ value: Any) -> Self? {
    if let list = value as? Self { return list }
    guard let elements = value as? [Any] else { return nil }
    let converted = elements.map(Element._convert)
    guard converted.allSatisfy({ $0 != nil }) else { return nil }
    let list = Self()
    list.append(objectsIn: converted.compactMap { $0 })
    return list
  }

  public static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> List {
    var pointer: OpaquePointer?
    trapOnMisuse { flx_object_get_list(object.pointer, property, &pointer, $0) }
    guard let pointer else { preconditionFailure("a list that could be opened has no handle") }
    return List(takingOver: pointer, object.realm)
  }

  /// Replaces the elements. Assigning a list to itself changes nothing.
  public static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: List) {
    let elements = Array(value)
    let list = _get(object, property)
    if !list.isEmpty { list.removeAll() }
    list.append(objectsIn: elements)
  }
}
