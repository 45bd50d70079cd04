// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension AnyRealmValue: RealmCollectionValue {
  public static var _propertyType: _PropertyType {
    _PropertyType(type: .FLX_TYPE_MIXED, isNullable: true)
  }

  public static func _defaultValue() -> AnyRealmValue { .none }
  public static var _isDefaultOfNewRow: Bool { true }

  // MARK: Reading

  public static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> AnyRealmValue {
    _fromFlex(object.read(property), object.realm, at: .property(object, property))
  }

  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle, at place: _ValuePlace)
    -> AnyRealmValue
  {
    switch value.type {
    case .FLX_TYPE_LIST: place.open(.list, realm).map { .list(List(takingOver: $0)) } ?? .none
    case .FLX_TYPE_DICTIONARY:
      place.open(.dictionary, realm).map { .dictionary(Map(takingOver: $0)) } ?? .none
    default: _fromFlex(value, realm)
    }
  }

  /// An object of a class that this program does not use with the realm reads as `none`.
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> AnyRealmValue {
    switch value.type {
    case .FLX_TYPE_INT: .int(._fromFlex(value, realm))
    case .FLX_TYPE_BOOL: .bool(._fromFlex(value, realm))
    case .FLX_TYPE_FLOAT: .float(._fromFlex(value, realm))
    case .FLX_TYPE_DOUBLE: .double(._fromFlex(value, realm))
    case .FLX_TYPE_STRING: .string(._fromFlex(value, realm))
    case .FLX_TYPE_BINARY: .data(._fromFlex(value, realm))
    case .FLX_TYPE_TIMESTAMP: .date(._fromFlex(value, realm))
    case .FLX_TYPE_OBJECT_ID: .objectId(._fromFlex(value, realm))
    case .FLX_TYPE_DECIMAL: .decimal128(._fromFlex(value, realm))
    case .FLX_TYPE_UUID: .uuid(._fromFlex(value, realm))
    case .FLX_TYPE_LINK: realm.anyObject(linkedBy: value.link).map(AnyRealmValue.object) ?? .none
    default: .none
    }
  }

  // MARK: Writing

  public static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: AnyRealmValue) {
    value._write(to: .property(object, property), object.realm)
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: flx_property_key_t,
    _ value: AnyRealmValue
  ) {
    if _get(object, property) != value { _set(object, property, value) }
  }

  public func _write(to place: _ValuePlace, _ realm: _RealmHandle) {
    // Copied before anything is written: the value may be the collection in the place being written to.
    AnyContent(self).write(to: place, realm)
  }

  /// Passes only the kind of a collection, which no function of the C interface accepts as a value.
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    switch self {
    case .none: Optional<Int>.none._withFlex(realm, body)
    case .int(let value): value._withFlex(realm, body)
    case .bool(let value): value._withFlex(realm, body)
    case .float(let value): value._withFlex(realm, body)
    case .double(let value): value._withFlex(realm, body)
    case .string(let value): value._withFlex(realm, body)
    case .data(let value): value._withFlex(realm, body)
    case .date(let value): value._withFlex(realm, body)
    case .object(let value): value._withFlex(realm, body)
    case .objectId(let value): value._withFlex(realm, body)
    case .decimal128(let value): value._withFlex(realm, body)
    case .uuid(let value): value._withFlex(realm, body)
    case .dictionary: lendKind(.FLX_TYPE_DICTIONARY, body)
    case .list: lendKind(.FLX_TYPE_LIST, body)
    }
  }

  private func lendKind<Result>(_ type: flx_type_t, _ body: (UnsafePointer<flx_value_t>) -> Result) -> Result
  {
    var value = flx_value_t.make(type) { _ in }
    return body(&value)
  }

  /// A collection that the program still references becomes the one of the row.
  public static func _didMove(
    _ value: AnyRealmValue,
    to object: _ManagedObject,
    _ property: flx_property_key_t
  ) {
    let place = _ValuePlace.property(object, property)
    switch value {
    case .list(let list): list.attach(to: place.open(.list, object.realm))
    case .dictionary(let map): map.attach(to: place.open(.dictionary, object.realm))
    default: break
    }
  }

  // MARK: Values by name

  public static func _convert(_ value: Any) -> AnyRealmValue? {
    // Nil arrives as a nil of any optional type.
    if value is NSNull || (value as? Int?) == .some(nil) { return AnyRealmValue.none }
    return switch plainNumber(value) {
    case let value as AnyRealmValue: value
    case let value as Bool: .bool(value)
    case let value as any BinaryInteger: Int(exactly: value).map(AnyRealmValue.int)
    case let value as Float: .float(value)
    case let value as Double: .double(value)
    case let value as String: .string(value)
    case let value as Data: .data(value)
    case let value as Date: .date(value)
    case let value as Object: .object(value)
    case let value as ObjectId: .objectId(value)
    case let value as Decimal128: .decimal128(value)
    case let value as UUID: .uuid(value)
    case let value as [String: Any]: Map<String, AnyRealmValue>._convert(value).map(AnyRealmValue.dictionary)
    case let value as [Any]: List<AnyRealmValue>._convert(value).map(AnyRealmValue.list)
    default: nil
    }
  }
}

/// A snapshot of the content of a value.
private indirect enum AnyContent {
  case scalar(AnyRealmValue)
  case list([AnyContent])
  case dictionary([(key: String, value: AnyContent)])

  /// One more level than a realm accepts, so that copying a collection that contains itself ends, and writing it
  /// fails.
  private static let greatestDepth = 101

  init(_ value: AnyRealmValue, depth: Int = 0) {
    switch value {
    case .list(let list):
      let elements = depth < AnyContent.greatestDepth ? Array(list) : []
      self = .list(elements.map { AnyContent($0, depth: depth + 1) })
    case .dictionary(let map):
      let entries = depth < AnyContent.greatestDepth ? Array(map) : []
      self = .dictionary(entries.map { ($0.key, AnyContent($0.value, depth: depth + 1)) })
    default: self = .scalar(value)
    }
  }

  /// An error is kept by the transaction, which will then fail as a whole.
  func write(to place: _ValuePlace, _ realm: _RealmHandle) {
    switch self {
    case .scalar(let value): value._withFlex(realm) { value in realm.perform { place.set(value, $0) } }
    case .list(let elements):
      realm.perform { place.setList($0) }
      guard let list = place.open(.list, realm) else { return }
      defer { list.release() }
      for (index, element) in elements.enumerated() {
        element.write(to: .insertion(list.pointer, index), realm)
      }
    case .dictionary(let entries):
      realm.perform { place.setDictionary($0) }
      guard let dictionary = place.open(.dictionary, realm) else { return }
      defer { dictionary.release() }
      for entry in entries { entry.value.write(to: .entry(dictionary.pointer, entry.key), realm) }
    }
  }
}
