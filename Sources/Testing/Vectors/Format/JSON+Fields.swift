// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// Access to the required fields of a row.
extension JSON {
  func field(_ name: String) throws(VectorError) -> JSON {
    guard let value = self[name] else { throw VectorError("no field \(name) in \(serialized.prefix(200))") }
    return value
  }

  func text(_ name: String) throws(VectorError) -> String {
    guard let text = try field(name).stringValue else { throw VectorError("\(name) is no string") }
    return text
  }

  func flag(_ name: String) throws(VectorError) -> Bool {
    guard let flag = try field(name).boolValue else { throw VectorError("\(name) is no boolean") }
    return flag
  }

  func elements(_ name: String) throws(VectorError) -> [JSON] { try field(name).asElements() }

  func members(_ name: String) throws(VectorError) -> [Member] {
    guard let members = try field(name).objectValue else { throw VectorError("\(name) is no object") }
    return members
  }

  func bytes(_ name: String) throws(VectorError) -> [UInt8] {
    guard let bytes = Hex.decode(try text(name)) else { throw VectorError("\(name) is no hexadecimal text") }
    return bytes
  }

  /// Returns a number, written as a number or as a decimal string.
  func number<Number: FixedWidthInteger>(_ name: String) throws(VectorError) -> Number {
    try field(name).asNumber()
  }

  func asElements() throws(VectorError) -> [JSON] {
    guard let elements = arrayValue else { throw VectorError("no array: \(serialized.prefix(200))") }
    return elements
  }

  func asNumber<Number: FixedWidthInteger>() throws(VectorError) -> Number {
    let number: Number? =
      switch self {
      case .integer(let value): Number(exactly: value)
      case .string(let text): Number(text)
      default: nil
      }
    guard let number else { throw VectorError("no \(Number.self): \(serialized.prefix(200))") }
    return number
  }

  func asText() throws(VectorError) -> String {
    guard let text = stringValue else { throw VectorError("no string: \(serialized.prefix(200))") }
    return text
  }
}
