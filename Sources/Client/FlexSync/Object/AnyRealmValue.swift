// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value of any type that a property can hold, including lists and dictionaries of such values.
///
/// ```swift
/// @Persisted var detail: AnyRealmValue
/// ...
/// note.detail = .int(5)
/// note.detail = .fromArray([.string("a"), .fromDictionary(["b": .double(1.5)])])
/// note.detail.listValue?.append(.none)
/// ```
public enum AnyRealmValue {
  case none
  case int(Int)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  case data(Data)
  case date(Date)
  case object(Object)
  case objectId(ObjectId)
  case decimal128(Decimal128)
  case uuid(UUID)
  case dictionary(Map<String, AnyRealmValue>)
  case list(List<AnyRealmValue>)

  /// Creates an empty value.
  public init() { self = .none }

  /// Creates a list of values.
  public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
    let list = List<AnyRealmValue>()
    list.append(objectsIn: array)
    return .list(list)
  }

  /// Creates a dictionary of values.
  public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
    let map = Map<String, AnyRealmValue>()
    for (key, value) in dictionary { map[key] = value }
    return .dictionary(map)
  }
}

extension AnyRealmValue {
  /// The integer; nil for a value of another type.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The Boolean; nil for a value of another type.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The float; nil for a value of another type.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
  /// The double; nil for a value of another type.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The text; nil for a value of another type.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes; nil for a value of another type.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The date; nil for a value of another type.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The object id; nil for a value of another type.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
  /// The decimal; nil for a value of another type.
  public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
  /// The UUID; nil for a value of another type.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// The dictionary; nil for a value of another type.
  public var dictionaryValue: Map<String, AnyRealmValue>? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  /// The list; nil for a value of another type.
  public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

  /// The object; nil for a value of another type or an object of another class.
  public func object<ObjectType: Object>(_ type: ObjectType.Type) -> ObjectType? {
    if case .object(let value) = self { value as? ObjectType } else { nil }
  }
}

extension AnyRealmValue: Hashable {
  /// Collections are equal if their contents are; two in a realm only if they are also in the same place.
  public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.int(let left), .int(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.objectId(let left), .objectId(let right)): left == right
    case (.decimal128(let left), .decimal128(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)):
      left.mayEqual(right) && left.elementsEqual(right)
    case (.list(let left), .list(let right)): left.mayEqual(right) && left.elementsEqual(right)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .decimal128(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .dictionary(let value): hasher.combine(value.count)
    case .list(let value): hasher.combine(value.count)
    }
  }
}

extension AnyRealmValue {
  /// Whether the contents are the same, wherever both are.
  func hasSameContents(as other: AnyRealmValue) -> Bool {
    switch (self, other) {
    case (.dictionary(let left), .dictionary(let right)):
      left.elementsEqual(right) { $0.key == $1.key && $0.value.hasSameContents(as: $1.value) }
    case (.list(let left), .list(let right)): left.elementsEqual(right) { $0.hasSameContents(as: $1) }
    default: self == other
    }
  }
}

extension _PersistedCollection {
  /// Whether the places of both allow them to be equal.
  fileprivate func mayEqual(_ other: _PersistedCollection) -> Bool {
    managed == nil || other.managed == nil || isSamePlace(as: other) == true
  }
}
