// SPDX-License-Identifier: Apache-2.0

import Foundation

extension DiscoveredProperty {
  /// Writes a value of any type to a row. Returns false if it cannot be converted to the property's type.
  ///
  /// - Parameter onlyIfDifferent: whether nothing is written if the row has this value.
  func write(
    _ value: Any,
    _ object: _ManagedObject,
    _ key: _PropertyKey,
    onlyIfDifferent: Bool
  ) -> Bool {
    guard let target = type.dynamicTarget else {
      return storage.write(value, object, key, onlyIfDifferent: onlyIfDifferent)
    }
    let links = DynamicLinks(className: target, realm: object.realm)
    guard let kind = type.collectionKind else {
      return links.write(value, to: .property(object, key), replacing: object.read(key))
    }
    let collection = kind.open(object, key)
    defer { collection.release() }
    return links.write(value, to: collection)
  }
}

/// Writes links of dynamic objects. The program need not have a Swift class for the target.
private struct DynamicLinks {
  /// The class that the links lead to.
  let className: String
  let realm: _RealmHandle

  func write(_ value: Any, to place: _ValuePlace, replacing current: _Value?) -> Bool {
    guard let value = present(value) else {
      place.set(.null, realm)
      return true
    }
    return realm.isEmbedded(className)
      ? embed(value, in: place, replacing: current) : withLink(to: value) { place.set($0, realm) }
  }

  func write(_ value: Any, to collection: ManagedCollection) -> Bool {
    switch collection.kind {
    case .list:
      guard let elements = elements(of: value) else { return false }
      collection.removeAll()
      return elements.enumerated().allSatisfy {
        write($0.element, to: .insertion(collection, $0.offset), replacing: nil)
      }
    case .set:
      guard let elements = elements(of: value) else { return false }
      collection.removeAll()
      return elements.allSatisfy { withLink(to: $0, collection.insert) }
    case .dictionary:
      guard let entries = entries(of: value) else { return false }
      collection.removeAll()
      return entries.allSatisfy {
        write($0.value, to: .entry(collection, $0.key), replacing: nil)
      }
    }
  }

  /// Lends a link to an object, which is created if the value describes one. Returns false for any other value.
  private func withLink(to value: Any, _ body: (_Value) -> Void) -> Bool {
    if let object = value as? ObjectBase {
      object._withFlex(realm, body)
      return true
    }
    guard value is [String: Any] || value is [Any] else { return false }
    realm.createDynamic(className, value, update: realm.live.linkPolicy)._withFlex(realm, body)
    return true
  }

  private func embed(_ value: Any, in place: _ValuePlace, replacing current: _Value?) -> Bool {
    if let object = value as? EmbeddedObject {
      realm.embed(object, replacing: current, place.embed)
      return true
    }
    if let managed = (value as? DynamicObject)?._managed, realm.live.copies == nil {
      realm.requireOwn(managed)
      // It is already there.
      if current?.link?.row == managed.row { return true }
      preconditionFailure("Can't set link to existing managed embedded object")
    }
    guard value is ObjectBase || value is [String: Any] || value is [Any] else { return false }
    realm.embed(value, of: className, place.embed)
    return true
  }

  private func present(_ value: Any) -> Any? { value is NSNull ? nil : flattened(value) }

  private func elements(of value: Any) -> [Any]? {
    guard let value = present(value) else { return [] }
    return collectedElements(of: value)
  }

  private func entries(of value: Any) -> [(key: String, value: Any)]? {
    guard let value = present(value) else { return [] }
    return (value as? [String: Any]).map(Array.init) ?? (value as? any _AnyMap)?.anyEntries
  }
}

extension _RealmHandle {
  /// Embeds an object of a class, for which the program need not have a Swift class, and gives it values.
  fileprivate func embed(_ value: Any, of className: String, _ make: HandleMaker) {
    var row: OpaquePointer?
    perform { make(&row, $0) }
    guard let row, let binding = dynamicBinding(named: className) else { return }
    let managed = _ManagedObject(takingOver: row, self, binding)
    addingLinks(live.linkPolicy) { assign(binding.discovered.values(in: value), to: managed) }
  }
}

/// The elements of a list, set, results or array; nil for a value of any other type.
func collectedElements(of value: Any) -> [Any]? {
  if let array = value as? [Any] ?? (value as? Set<AnyHashable>)?.map(\.base) { return array }
  return (value as? any _AnyElements)?.anyElements
}

/// A collection of elements of any type.
protocol _AnyElements {
  var anyElements: [Any] { get }
}

extension _AnyElements where Self: Sequence {
  var anyElements: [Any] { map { $0 as Any } }
}

extension List: _AnyElements {}
extension MutableSet: _AnyElements {}
extension Results: _AnyElements {}
extension LinkingObjects: _AnyElements {}
extension AnyRealmCollection: _AnyElements {}
