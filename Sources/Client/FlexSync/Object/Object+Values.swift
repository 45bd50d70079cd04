// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Access to properties by name, for values whose types are known only at run time.
extension ObjectBase {
  /// Accesses a property by its Swift name. Writing follows the rules of the property itself. An enumeration or a
  /// `CustomPersistable` reads as the value that is stored, and a mixed value as what it holds, or nil.
  public final subscript(key: String) -> Any? {
    get {
      guard let value = storedValue(named: key) else {
        Misuse.stop("Invalid property name '\(key)' for class '\(discovered.name)'.")
      }
      return plain(value)
    }
    set {
      let discovered = discovered
      let ordinal = discovered.requiredOrdinal(named: key)
      let property = discovered.properties[ordinal]
      let value = newValue ?? Optional<Int>.none as Any
      let wasSet =
        _managed.map {
          property.write(value, $0, $0.binding.propertyKeys[ordinal], onlyIfDifferent: false)
        }
        ?? property.setUnmanaged(value, in: self)
      if !wasSet { discovered.refuse(value, for: property) }
    }
  }

  /// The description of the object's class. Dynamic objects of all classes have the same Swift class.
  final var discovered: DiscoveredClass { _managed?.binding.discovered ?? DiscoveredClass.of(type(of: self)) }

  /// The value of the property at a position, as the property has it; nil for null.
  final func value(of ordinal: Int, in discovered: DiscoveredClass) -> Any? {
    let property = discovered.properties[ordinal]
    return flattened(read(property.storage, property.address(in: self), ordinal))
  }

  /// The value of the property or linking objects with a name, as the property has it; nil if there is none.
  final func storedValue(named name: String) -> Any? {
    let discovered = discovered
    if let ordinal = discovered.ordinal(named: name) {
      let property = discovered.properties[ordinal]
      return read(property.storage, property.address(in: self), ordinal)
    }
    guard let index = discovered.backlinks.firstIndex(where: { $0.name == name }) else { return nil }
    let backlink = discovered.backlinks[index]
    let address = Unmanaged.passUnretained(self).toOpaque() + backlink.offset
    return read(backlink.storage, address, discovered.properties.count + index)
  }

  private func read(
    _ storage: any AnyPersisted.Type,
    _ address: UnsafeMutableRawPointer,
    _ ordinal: Int
  ) -> Any {
    guard let managed = _managed else { return storage.unmanagedValue(at: address) }
    return storage.read(managed, managed.binding.propertyKeys[ordinal])
  }

  /// A value as programs get it by name. Integers are numbers that can be cast to all types of integers that can hold them,
  /// because the type of the property may not be known.
  final func plain(_ value: Any) -> Any? {
    switch plainValue(value) {
    case let integer as any FixedWidthInteger: NSNumber(value: Int64(integer))
    case let object as ObjectBase where self is DynamicObject:
      object._managed.map { $0.realm.specificObject($0) } ?? object
    case let plain: plain
    }
  }

  /// Sets properties of an object that is in no realm.
  final func setUnmanaged(_ value: Any) {
    let discovered = discovered
    for (ordinal, value) in discovered.values(in: value) {
      let property = discovered.properties[ordinal]
      if !property.setUnmanaged(value, in: self) { discovered.refuse(value, for: property) }
    }
  }
}

extension DiscoveredClass {
  /// The property values by position in a value that `Object(value:)` and `Realm.create` accept. Keys of a dictionary
  /// that name no property are ignored.
  func values(in value: Any) -> [(ordinal: Int, value: Any)] {
    switch value {
    case let dictionary as [String: Any]:
      return properties.indices.compactMap { ordinal in
        dictionary[properties[ordinal].name].map { (ordinal, $0) }
      }
    case let array as [Any]:
      if array.count > properties.count {
        Misuse.stop(
          "Invalid array input: more values (\(array.count)) than properties (\(properties.count))."
        )
      }
      return array.enumerated().map { ($0.offset, $0.element) }
    case let object as ObjectBase:
      if object.isInvalidated { Misuse.stop("Object has been deleted or invalidated.") }
      let other = object.discovered
      return properties.indices.compactMap { ordinal in
        other.ordinal(named: properties[ordinal].name).map { position in
          (ordinal, object.value(of: position, in: other) ?? Optional<Int>.none as Any)
        }
      }
    case is NSNull: Misuse.stop("Must provide a non-nil value.")
    default: Misuse.stop("Invalid value '\(value)' to initialize object of type '\(name)'")
    }
  }

  func requiredOrdinal(named name: String) -> Int {
    guard let ordinal = ordinal(named: name) else {
      Misuse.stop("Invalid property name '\(name)' for class '\(self.name)'.")
    }
    return ordinal
  }

  func refuse(_ value: Any, for property: DiscoveredProperty) -> Never {
    Misuse.stop(
      "Invalid value '\(value)' of type '\(Swift.type(of: value))' for \(Property(property).kind) property "
        + "'\(name).\(property.name)'."
    )
  }
}

/// A value of a property as programs get it by name: an enumeration or a `CustomPersistable` as the value that is
/// stored, and a mixed value as what it holds; nil for null.
func plainValue(_ value: Any) -> Any? {
  switch flattened(value) {
  case let mixed as AnyRealmValue: mixed.content
  case let enumeration as any PersistableEnum: plainValue(enumeration.rawValue)
  case let custom as any FailableCustomPersistable: plainValue(custom.persistableValue)
  case let value: value
  }
}

/// Removes all layers of optionals from a value.
func flattened(_ value: Any) -> Any? {
  guard let optional = value as? any AnyOptional else { return value }
  return optional.anyValue.flatMap(flattened)
}

private protocol AnyOptional {
  var anyValue: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var anyValue: Any? { map { $0 as Any } }
}
