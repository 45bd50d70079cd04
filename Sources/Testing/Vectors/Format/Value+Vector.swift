// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

extension Payload {
  /// Creates the payload that a vector represents as an object with one key, the type (README, "Values").
  public init(vector json: JSON) throws(VectorError) {
    guard let members = json.objectValue, members.count == 1 else {
      throw VectorError("no value: \(json.serialized.prefix(200))")
    }
    switch members[0].name {
    case "object": self = .object
    case "list": self = .list
    case "dictionary": self = .dictionary
    case "set": self = .set
    case "erased": self = .erased
    default: self = .value(try Value(vector: json))
    }
  }
}

extension Value {
  /// Creates the scalar that a vector represents as an object with one key, the type (README, "Values").
  public init(vector json: JSON) throws(VectorError) {
    guard let member = json.objectValue?.first else {
      throw VectorError("no value: \(json.serialized.prefix(200))")
    }
    let content = member.value
    switch member.name {
    case "null": self = .null
    case "int": self = .int(try content.asNumber())
    case "bool": self = .bool(try json.flag("bool"))
    case "string": self = .string(try content.asText())
    case "stringHex": self = .malformedString(try json.bytes("stringHex"))
    case "binary": self = .binary(try json.bytes("binary"))
    case "timestamp": self = .timestamp(try Timestamp(vector: content))
    case "float": self = .float(Float(bitPattern: try bits(of: content)))
    case "double": self = .double(Double(bitPattern: try bits(of: content)))
    case "decimal": self = .decimal(try Decimal128(vector: content))
    case "link":
      self = .link(
        Link(className: try content.text("table"), key: try PrimaryKey(vector: content.field("pk")))
      )
    case "objectId", "uuid": self = try identifier(member)
    default: throw VectorError("no type of value is called \(member.name)")
    }
  }
}

extension PrimaryKey {
  /// Creates a key: null, int, string, objectId, uuid or globalKey (README, "Values").
  public init(vector json: JSON) throws(VectorError) {
    if let global = json["globalKey"] {
      let high: UInt64 = try bits(of: global.field("hi"))
      self = .globalKey(high: high, low: try bits(of: global.field("lo")))
      return
    }
    guard let key = PrimaryKey(try Value(vector: json)) else {
      throw VectorError("no primary key: \(json.serialized)")
    }
    self = key
  }
}

extension Timestamp {
  init(vector json: JSON) throws(VectorError) {
    guard let timestamp = Timestamp(seconds: try json.number("s"), nanoseconds: try json.number("ns")) else {
      throw VectorError("timestamp that is not normalised: \(json.serialized)")
    }
    self = timestamp
  }
}

extension Decimal128 {
  /// Creates the value from the fields of the wire format or, in files of queries, from text alone.
  init(vector json: JSON) throws(VectorError) {
    if let text = json.stringValue {
      try self.init(text: text)
      return
    }
    let coefficient: UInt128 = try json.number("coefficient")
    self.init(
      coefficientHigh: UInt64(coefficient >> 64),
      coefficientLow: UInt64(truncatingIfNeeded: coefficient),
      exponent: try json.number("exponent"),
      isNegative: try json.flag("negative")
    )
  }
}

private func identifier(_ member: JSON.Member) throws(VectorError) -> Value {
  let text = try member.value.asText()
  if member.name == "uuid", let uuid = UUIDValue(text) { return .uuid(uuid) }
  if member.name == "objectId", let objectId = ObjectId(hex: text) { return .objectId(objectId) }
  throw VectorError("no \(member.name): \(text)")
}

private func bits<Bits: FixedWidthInteger>(of json: JSON) throws(VectorError) -> Bits {
  guard let bits = Bits(try json.asText(), radix: 16) else {
    throw VectorError("no hexadecimal bits: \(json.serialized)")
  }
  return bits
}
