// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An object whose properties are accessed by name, of a class that the program may not have.
///
/// ```swift
/// for person in realm.dynamicObjects("Person") {
///   print(person["name"] as? String ?? "", person.age as? Int ?? 0)
/// }
/// ```
///
/// A link leads to an object of the Swift class that the program uses with the realm, and to a dynamic object if there is
/// none. It can be set to any object of its class, or to a dictionary of values, from which the object is created. Dynamic
/// objects belong to a realm: one that a program creates by itself has no properties.
@dynamicMemberLookup
public final class DynamicObject: Object {
  public required init() { super.init() }

  /// Accesses a property by its name.
  public subscript(dynamicMember member: String) -> Any? {
    get { self[member] }
    set { self[member] = newValue }
  }

  /// The value of a property by its name.
  public func value(forUndefinedKey key: String) -> Any? { self[key] }

  /// Sets a property by its name.
  public func setValue(_ value: Any?, forUndefinedKey key: String) { self[key] = value }
}

extension ObjectBase {
  /// The object as one of another Swift class for the same class of the schema; nil if that is impossible.
  final func cast<ObjectType: ObjectBase>() -> ObjectType? {
    guard let managed = _managed else { return nil }
    if ObjectType.self == DynamicObject.self {
      return managed.realm.dynamicObject(managed) as? ObjectType
    }
    guard DiscoveredClass.of(ObjectType.self).name == discovered.name else { return nil }
    return managed.realm.typed(ObjectType.self, managed)
  }

  /// The list in a property, whose objects are accessed by name.
  public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
    List(takingOver: openDynamic(propertyName, .list))
  }

  /// The set in a property, whose objects are accessed by name.
  public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
    MutableSet(takingOver: openDynamic(propertyName, .set))
  }

  /// The map in a property, whose objects are accessed by name.
  public final func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
    Map(takingOver: openDynamic(propertyName, .dictionary))
  }

  private func openDynamic(_ name: String, _ kind: CollectionKind) -> ManagedCollection {
    let ordinal = discovered.requiredOrdinal(named: name)
    let property = discovered.properties[ordinal]
    Misuse.require(
      property.type.collectionKind == kind,
      "Property '\(discovered.name).\(name)' is not a \(kind)."
    )
    guard let managed = _managed else {
      Misuse.stop(
        "Objects can be accessed by name only in a realm, and '\(discovered.name)' is in none."
      )
    }
    return kind.open(managed, managed.binding.propertyKeys[ordinal])
  }
}

extension _PropertyType {
  /// The storage by which dynamic objects read and write a property of this type.
  var dynamicStorage: any AnyPersisted.Type {
    switch publicType {
    case .int: storage(of: Int.self)
    case .bool: storage(of: Bool.self)
    case .float: storage(of: Float.self)
    case .double: storage(of: Double.self)
    case .string: storage(of: String.self)
    case .data: storage(of: Data.self)
    case .date: storage(of: Date.self)
    case .objectId: storage(of: ObjectId.self)
    case .decimal128: storage(of: Decimal128.self)
    case .UUID: storage(of: UUID.self)
    case .object, .linkingObjects: storage(of: DynamicObject.self)
    case .any: storage(exactly: AnyRealmValue.self)
    }
  }

  private func storage<Value: RealmCollectionValue>(of type: Value.Type) -> any AnyPersisted.Type {
    isNullable ? storage(exactly: Value?.self) : storage(exactly: type)
  }

  private func storage<Value: RealmCollectionValue>(exactly type: Value.Type) -> any AnyPersisted.Type {
    switch collectionKind {
    case nil: Persisted<Value>.self
    case .list: Persisted<List<Value>>.self
    case .set: Persisted<MutableSet<Value>>.self
    case .dictionary: Persisted<Map<String, Value>>.self
    }
  }
}
