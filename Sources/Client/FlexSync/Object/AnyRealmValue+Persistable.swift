// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AnyRealmValue: RealmCollectionValue {
  public static var _propertyType: _PropertyType {
    .mixed
  }

  public static func _defaultValue() -> AnyRealmValue { .none }
  public static var _isDefaultOfNewRow: Bool { true }

  // MARK: Reading

  public static func _get(_ object: _ManagedObject, _ property: _PropertyKey) -> AnyRealmValue {
    object.realm.reading { _fromFlex(object.read(property), object.realm, at: .property(object, property)) }
  }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle, at place: _ValuePlace) -> AnyRealmValue
  {
    value.mixed(realm, at: place)
  }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> AnyRealmValue {
    value.mixed(realm, at: nil)
  }

  // MARK: Writing

  public static func _set(_ object: _ManagedObject, _ property: _PropertyKey, _ value: AnyRealmValue) {
    value._write(to: .property(object, property), object.realm)
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    _ value: AnyRealmValue
  ) {
    if !_get(object, property).hasSameContents(as: value) { _set(object, property, value) }
  }

  public func _write(to place: _ValuePlace, _ realm: _RealmHandle) {
    // Copied before anything is written: the value may be the collection in the place being written to.
    AnyContent(self).write(to: place, realm)
  }

  /// Passes only the kind of a collection, which no function of the C interface accepts as a value.
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
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
    case .dictionary: body(.dictionary)
    case .list: body(.list)
    }
  }

  /// A collection that the program still references becomes the one of the row.
  public static func _didMove(
    _ value: AnyRealmValue,
    to object: _ManagedObject,
    _ property: _PropertyKey
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
    case .scalar(let value): value._withFlex(realm) { place.set($0, realm) }
    case .list(let elements):
      guard let list = place.make(.list, realm) else { return }
      defer { list.release() }
      for (index, element) in elements.enumerated() {
        element.write(to: .insertion(list, index), realm)
      }
    case .dictionary(let entries):
      guard let dictionary = place.make(.dictionary, realm) else { return }
      defer { dictionary.release() }
      for entry in entries { entry.value.write(to: .entry(dictionary, entry.key), realm) }
    }
  }
}
