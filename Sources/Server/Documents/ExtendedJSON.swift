// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel

/// Values of MongoDB's Extended JSON, canonical and relaxed, as `mongoexport` writes them.
package enum ExtendedJSON {
  /// Returns the value of the given type that a JSON value represents; nil if it represents another type. Does not
  /// handle null, nor links and mixed values, which need the schema.
  package static func value(_ json: JSON, as type: ValueType) -> Value? {
    switch type {
    case .int: integer(json).map(Value.int)
    case .bool: json.boolValue.map(Value.bool)
    case .string: json.stringValue.map(Value.string)
    case .double: double(json).map(Value.double)
    case .float: double(json).map { Value.float(Float($0)) }
    case .timestamp: date(json).map(Value.timestamp)
    case .objectId: json["$oid"]?.stringValue.flatMap(ObjectId.init(hex:)).map(Value.objectId)
    case .uuid: uuid(json).map(Value.uuid)
    case .binary: binary(json).map { Value.binary($0.bytes) }
    case .decimal: decimal(json).map(Value.decimal)
    case .mixed, .link: nil
    }
  }

  private static func integer(_ json: JSON) -> Int64? {
    if let value = json.integerValue { return value }
    if let text = (json["$numberInt"] ?? json["$numberLong"])?.stringValue { return Int64(text) }
    return double(json).flatMap(Int64.init(exactly:))
  }

  package static func double(_ json: JSON) -> Double? {
    if let value = json.doubleValue { return value }
    let text = (json["$numberDouble"] ?? json["$numberInt"] ?? json["$numberLong"])?.stringValue
    switch text {
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case "NaN": return .nan
    default: return text.flatMap(Double.init)
    }
  }

  private static func date(_ json: JSON) -> Timestamp? {
    guard let date = json["$date"] else { return nil }
    if let text = date.stringValue { return ISODate.parse(text) }
    return integer(date).map(Timestamp.init(milliseconds:))
  }

  private static func uuid(_ json: JSON) -> UUIDValue? {
    if let text = json["$uuid"]?.stringValue { return UUIDValue(text) }
    guard let (bytes, subtype) = binary(json), subtype == 4 else { return nil }
    return UUIDValue(bytes: bytes)
  }

  private static func binary(_ json: JSON) -> (bytes: [UInt8], subtype: Int)? {
    guard let content = json["$binary"] else { return nil }
    // The older form has the subtype next to the content.
    let text = content["base64"]?.stringValue ?? content.stringValue
    let subtype = (content["subType"] ?? json["$type"])?.stringValue.flatMap { Int($0, radix: 16) }
    guard let text, let bytes = Base64.decode(text) else { return nil }
    return (bytes, subtype ?? 0)
  }
}

/// Dates in the form of relaxed Extended JSON: `2024-06-01T09:30:00.123Z`, or with a UTC offset.
package enum ISODate {
  package static func parse(_ text: String) -> Timestamp? {
    var parser = Parser(rest: Array(text.utf8)[...])
    guard let year = parser.number(4), parser.skip("-"), let month = parser.number(2), parser.skip("-"),
      let day = parser.number(2), parser.skip("T"), let hour = parser.number(2), parser.skip(":"),
      let minute = parser.number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60
    else { return nil }
    var second = 0
    if parser.skip(":") {
      guard let number = parser.number(2), number < 60 else { return nil }
      second = number
    }
    guard let nanoseconds = parser.fraction(), let offset = parser.offsetMinutes(), parser.rest.isEmpty else {
      return nil
    }
    let days = daysSince1970(year: year, month: month, day: day)
    let seconds = Int64(((days * 24 + hour) * 60 + minute - offset) * 60 + second)
    // Both parts must have the sign of the value.
    if seconds < 0 && nanoseconds > 0 {
      return Timestamp(seconds: seconds + 1, nanoseconds: Int32(nanoseconds - 1_000_000_000))
    }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  /// Returns the number of days since 1970 in the proleptic Gregorian calendar.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private struct Parser {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    mutating func number(_ digitCount: Int) -> Int? {
      let digits = rest.prefix(digitCount)
      guard digits.count == digitCount, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(digitCount)
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Reads a fraction of a second, in nanoseconds.
    mutating func fraction() -> Int? {
      guard skip(".") else { return 0 }
      var value = 0
      var digitCount = 0
      while digitCount < 9, let digit = number(1) {
        value = value * 10 + digit
        digitCount += 1
      }
      guard digitCount > 0 else { return nil }
      for _ in digitCount..<9 { value *= 10 }
      return value
    }

    mutating func offsetMinutes() -> Int? {
      if skip("Z") { return 0 }
      let sign = skip("+") ? 1 : skip("-") ? -1 : 0
      guard sign != 0, let hours = number(2) else { return nil }
      _ = skip(":")
      guard let minutes = number(2) else { return nil }
      return sign * (hours * 60 + minutes)
    }
  }
}
