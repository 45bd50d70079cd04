// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// Writes objects as documents in relaxed Extended JSON. The inverse of `DocumentReader`.
package struct DocumentWriter {
  let objects: ObjectStore

  package init(objects: ObjectStore) {
    self.objects = objects
  }

  /// Returns the document of an object, including its embedded objects. Links are written as the primary keys of
  /// their targets.
  package func document(row: Int64, _ table: ClassTable) throws -> JSON {
    let columns = table.columns.filter { !(table.isEmbedded && $0.isPrimaryKey) }
    return .object(try columns.map { JSON.Member($0.schema.name, try content(row: row, $0)) })
  }

  private func content(row: Int64, _ column: Column) throws -> JSON {
    switch column.schema.collection {
    case .single: try json(try objects.storedValue(row: row, column))
    case .list: .array(try objects.listValues(row: row, column).map(json))
    case .set: .array(try objects.setValues(row: row, column).map(json))
    case .dictionary:
      .object(
        try objects.dictionaryEntries(row: row, column).map { JSON.Member($0.key, try json($0.value)) }
      )
    }
  }

  private func json(_ value: Value) throws -> JSON {
    switch value {
    case .link(let link): try document(of: link)
    case .list(let values): .array(try values.map(json))
    case .dictionary(let entries): .object(try entries.map { JSON.Member($0.key, try json($0.value)) })
    default: ExtendedJSON.json(value)
    }
  }

  private func document(of link: Link) throws -> JSON {
    guard let table = try objects.table(named: link.className), table.isEmbedded,
      case .int(let row) = link.key
    else { return link.key.value.map(ExtendedJSON.json) ?? .null }
    return try document(row: row, table)
  }
}

extension ExtendedJSON {
  /// Returns a single value in relaxed form: numbers, booleans and strings as they are, other types as objects with a
  /// `$` name.
  static func json(_ value: Value) -> JSON {
    switch value {
    case .int(let number): .integer(number)
    case .bool(let truth): .bool(truth)
    case .string(let text): .string(text)
    case .malformedString(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .binary(let bytes): binary(bytes, subtype: "00")
    case .timestamp(let time): ["$date": ["$numberLong": .string(String(milliseconds(time)))]]
    case .float(let number): double(Double(number))
    case .double(let number): double(number)
    case .decimal(let number): ["$numberDecimal": .string(number.text)]
    case .objectId(let id): ["$oid": .string(id.description)]
    case .uuid(let id): binary(id.bytes, subtype: "04")
    case .null, .link, .list, .dictionary: .null
    }
  }

  /// Returns the document with plain numbers wherever JSON can represent them.
  package static func relaxed(_ json: JSON) -> JSON {
    switch json {
    case .array(let elements): .array(elements.map(relaxed))
    case .object(let members) where members.count == 1 && members[0].name.hasPrefix("$number"):
      number(json) ?? json
    case .object(let members): .object(members.map { JSON.Member($0.name, relaxed($0.value)) })
    default: json
    }
  }

  private static func number(_ json: JSON) -> JSON? {
    if let text = (json["$numberInt"] ?? json["$numberLong"])?.stringValue {
      return Int64(text).map(JSON.integer)
    }
    guard json["$numberDouble"] != nil, let number = double(json), number.isFinite else { return nil }
    return .double(number)
  }

  private static func double(_ number: Double) -> JSON {
    guard !number.isFinite else { return .double(number) }
    return ["$numberDouble": .string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")]
  }

  private static func binary(_ bytes: [UInt8], subtype: String) -> JSON {
    ["$binary": ["base64": .string(Base64.encode(bytes)), "subType": .string(subtype)]]
  }

  /// Converts a timestamp to milliseconds, the resolution of dates in documents.
  private static func milliseconds(_ time: Timestamp) -> Int64 {
    let (product, overflows) = time.seconds.multipliedReportingOverflow(by: 1000)
    return overflows ? (time.seconds < 0 ? .min : .max) : product &+ Int64(time.nanoseconds / 1_000_000)
  }
}
