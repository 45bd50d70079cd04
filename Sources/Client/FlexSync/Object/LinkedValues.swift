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
    let value = flattened(value) ?? NSNull()
    guard let target = LinkedClass(type, object.realm) else {
      return storage.write(value, object, key, onlyIfDifferent: onlyIfDifferent)
    }
    let links = LinkedValues(target: target, realm: object.realm, onlyIfDifferent: onlyIfDifferent)
    guard let kind = type.collectionKind else {
      return links.write(value, to: .property(object, key), replacing: object.read(key))
    }
    let collection = kind.open(object, key)
    defer { collection.release() }
    return links.write(value, to: collection)
  }
}

/// The class that the links of a property lead to. For those of dynamic objects, the program need not have a Swift class.
private struct LinkedClass {
  let name: String
  let type: ObjectBase.Type?
  let isEmbedded: Bool

  init?(_ property: _PropertyType, _ realm: _RealmHandle) {
    if let type = property.linkTarget {
      self.type = type
      name = DiscoveredClass.of(type).name
      isEmbedded = type is EmbeddedObject.Type
    } else if let target = property.dynamicTarget {
      type = nil
      name = target
      isEmbedded = realm.isEmbedded(target)
    } else {
      return nil
    }
  }

  func binding(in realm: _RealmHandle) -> _ClassBinding? {
    type.map(realm.binding) ?? realm.dynamicBinding(named: name)
  }
}

/// Writes links, creating the objects that values describe, without an object outside the realm in between: it would
/// have a value for each property, also for those that are to keep theirs.
private struct LinkedValues {
  let target: LinkedClass
  let realm: _RealmHandle
  let onlyIfDifferent: Bool

  func write(_ value: Any, to place: _ValuePlace, replacing current: _Value?) -> Bool {
    guard let value = present(value) else {
      if current?.isNull != true || !onlyIfDifferent { place.set(.null, realm) }
      return true
    }
    if target.isEmbedded { return embed(value, in: place, replacing: current) }
    return withLink(to: value) { link in
      if let current, onlyIfDifferent, link.isIdentical(to: current) { return }
      place.set(link, realm)
    }
  }

  func write(_ value: Any, to collection: ManagedCollection) -> Bool {
    switch collection.kind {
    case .list: elements(of: value).map { write($0, toList: collection) } ?? false
    case .set: elements(of: value).map { write($0, toSet: collection) } ?? false
    case .dictionary: entries(of: value).map { write($0, toDictionary: collection) } ?? false
    }
  }

  private func write(_ elements: [Any], toList list: ManagedCollection) -> Bool {
    if !onlyIfDifferent { list.removeAll() }
    let kept = list.count
    for (index, element) in elements.enumerated() {
      // Only an object can be an element.
      guard let element = present(element) else { return false }
      let isThere = index < kept
      let place: _ValuePlace = isThere ? .element(list, index) : .insertion(list, index)
      guard write(element, to: place, replacing: isThere ? list.element(at: index) : nil) else {
        return false
      }
    }
    while list.count > elements.count { list.remove(at: list.count - 1) }
    return true
  }

  private func write(_ elements: [Any], toSet set: ManagedCollection) -> Bool {
    var links: [Any] = []
    for element in elements {
      guard let object = present(element).flatMap(linkedObject) else { return false }
      links.append(object)
    }
    let isSame = onlyIfDifferent && set.count == Set(links.compactMap { $0 as? ObjectBase }).count
    if isSame, links.allSatisfy({ isElement($0, of: set) }) { return true }
    set.removeAll()
    return links.allSatisfy { withLink(to: $0, set.insert) }
  }

  private func write(_ entries: [(key: String, value: Any)], toDictionary map: ManagedCollection) -> Bool {
    if onlyIfDifferent {
      let kept = Set(entries.map(\.key))
      for key in (0..<map.count).map({ map.entry(at: $0).key }) where !kept.contains(key) { map.remove(key) }
    } else {
      map.removeAll()
    }
    return entries.allSatisfy {
      write($0.value, to: .entry(map, $0.key), replacing: onlyIfDifferent ? map.value(of: $0.key) : nil)
    }
  }

  private func isElement(_ object: Any, of set: ManagedCollection) -> Bool {
    var isThere = false
    return withLink(to: object) { isThere = set.index(of: $0) != nil } && isThere
  }

  /// Lends a link to an object, which is created if the value describes one. Returns false for any other value.
  private func withLink(to value: Any, _ body: (_Value) -> Void) -> Bool {
    guard let object = linkedObject(value) else { return false }
    object._withFlex(realm, body)
    return true
  }

  /// Returns the object that a value is or describes; nil for any other value.
  private func linkedObject(_ value: Any) -> ObjectBase? {
    if let object = value as? ObjectBase, object.discovered.name == target.name { return object }
    // An object of another class is copied like a dictionary of its values.
    let isCopied = value is ObjectBase && realm.live.copies != nil
    guard isCopied || value is [String: Any] || value is [Any] else { return nil }
    guard let type = target.type else {
      return realm.createDynamic(target.name, value, update: realm.live.linkPolicy)
    }
    return realm.create(type, value, update: realm.live.linkPolicy)
  }

  private func embed(_ value: Any, in place: _ValuePlace, replacing current: _Value?) -> Bool {
    if let object = value as? ObjectBase, realm.live.copies == nil {
      if let embedded = object as? EmbeddedObject {
        realm.embed(embedded, in: place, replacing: current, isUpdate: onlyIfDifferent)
        return true
      }
      if let managed = object._managed {
        realm.require(managed, in: place, holding: current)
        return true
      }
    }
    guard value is ObjectBase || value is [String: Any] || value is [Any] else { return false }
    guard let binding = target.binding(in: realm),
      let row = realm.embeddedRow(in: place, replacing: current, isUpdate: onlyIfDifferent, binding)
    else { return true }
    let values = binding.discovered.values(in: value)
    realm.addingLinks(realm.live.linkPolicy) {
      if row.isNew, let type = target.type {
        realm.writeDefaults(of: type.init(), except: values, to: row.object)
      }
      realm.assign(values, to: row.object, onlyIfDifferent: !row.isNew)
    }
    return true
  }

  /// The value, as what is stored for it; nil for null.
  private func present(_ value: Any) -> Any? {
    switch flattened(value) {
    case is NSNull: nil
    case let custom as any FailableCustomPersistable: custom.persistableValue
    case let value: value
    }
  }

  private func elements(of value: Any) -> [Any]? {
    guard let value = present(value) else { return [] }
    return collectedElements(of: value)
  }

  private func entries(of value: Any) -> [(key: String, value: Any)]? {
    guard let value = present(value) else { return [] }
    return (value as? [String: Any]).map(Array.init) ?? (value as? any _AnyMap)?.anyEntries
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
