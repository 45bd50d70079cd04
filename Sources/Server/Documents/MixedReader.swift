// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

extension ExtendedJSON {
  /// Returns the decimal for `{"$numberDecimal": "1.50"}` or another number.
  static func decimal(_ json: JSON) -> Decimal128? {
    if let text = json["$numberDecimal"]?.stringValue { return Decimal128(number: text) }
    if let text = (json["$numberInt"] ?? json["$numberLong"])?.stringValue {
      return Int64(text).map(Decimal128.init)
    }
    // Above 2⁵³ a double would lose digits.
    if let integer = json.integerValue { return Decimal128(integer) }
    return double(json).map(Decimal128.init)
  }
}

/// Reads values of type mixed, whose form determines their type.
package struct MixedReader {
  let schema: Schema
  /// The classes by collection name, to resolve references.
  let classByCollection: [String: String]

  package init(schema: Schema, classByCollection: [String: String]) {
    self.schema = schema
    self.classByCollection = classByCollection
  }

  /// Returns the value that a JSON value represents; nil if it represents none.
  package func value(_ json: JSON) -> Value? {
    switch json {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .array(let elements): list(elements)
    case .object(let members): special(json, members) ?? dictionary(members)
    }
  }

  private func list(_ elements: [JSON]) -> Value? {
    let values = elements.compactMap(value)
    return values.count == elements.count ? .list(values) : nil
  }

  /// Reads a dictionary. Objects with a key that begins with a dollar sign are scalars and give nil.
  private func dictionary(_ members: [JSON.Member]) -> Value? {
    var entries: [DictionaryEntry] = []
    for member in members {
      guard DictionaryKey.isValid(member.name), let value = value(member.value) else { return nil }
      entries.append(DictionaryEntry(member.name, value))
    }
    return .dictionary(entries.sorted { UTF8Order.isLess($0.key, $1.key) })
  }

  private func special(_ json: JSON, _ members: [JSON.Member]) -> Value? {
    switch members.first?.name {
    case "$oid": ExtendedJSON.value(json, as: .objectId)
    case "$numberInt", "$numberLong": ExtendedJSON.value(json, as: .int)
    case "$numberDouble": ExtendedJSON.value(json, as: .double)
    case "$numberDecimal": ExtendedJSON.value(json, as: .decimal)
    case "$date": ExtendedJSON.value(json, as: .timestamp)
    case "$uuid": ExtendedJSON.value(json, as: .uuid)
    case "$binary", "$type": ExtendedJSON.value(json, as: .uuid) ?? ExtendedJSON.value(json, as: .binary)
    case "$ref": link(json)
    default: nil
    }
  }

  /// Reads a reference to a document: `{"$ref": COLLECTION, "$id": KEY}`.
  private func link(_ json: JSON) -> Value? {
    guard let collection = json["$ref"]?.stringValue, let identifier = json["$id"] else { return nil }
    let className = classByCollection[collection] ?? collection
    guard let type = schema[className]?.primaryKey?.type,
      let key = ExtendedJSON.value(identifier, as: type).flatMap(PrimaryKey.init)
    else { return nil }
    return .link(Link(className: className, key: key))
  }
}
