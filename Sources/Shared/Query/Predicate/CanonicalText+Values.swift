// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension CanonicalText {
  static func of(_ value: Value, type: ValueType? = nil) -> String {
    switch value {
    case .null: "NULL"
    case .int(let int): String(int)
    case .bool(let bool): bool ? "true" : "false"
    case .string(let string): quoted(Array(string.utf8), isPlain: isPlain(string))
    case .malformedString(let bytes): quoted(bytes, isPlain: false)
    case .binary(let bytes): binary(bytes)
    case .timestamp(let timestamp): timestamp.description
    case .float(let float) where float.isFinite:
      number(Double(float), float.description, isWholeEnough: type == .float)
    case .double(let double) where double.isFinite:
      number(double, double.description, isWholeEnough: type == .double)
    case .float(let float): notFinite(Double(float), type: type)
    case .double(let double): notFinite(double, type: type)
    case .decimal(let decimal): decimal.text
    case .link(let link): "obj(\"class_\(link.className)\",\(of(link.key.value ?? .null)))"
    case .objectId(let objectId): "oid(\(objectId))"
    case .uuid(let uuid): "uuid(\(uuid))"
    case .list(let elements): "{" + elements.map { of($0) }.joined(separator: ", ") + "}"
    case .dictionary(let entries):
      "{" + entries.map { "\(of(.string($0.key))): \(of($0.value))" }.joined(separator: ", ") + "}"
    }
  }

  /// Prints a number. A whole number loses its fraction if the type of the other side restores it.
  private static func number(_ double: Double, _ description: String, isWholeEnough: Bool) -> String {
    let isWhole =
      double.magnitude < 1e15 && double == double.rounded() && !(double == 0 && double.sign == .minus)
    return isWholeEnough && isWhole ? String(Int64(double)) : description
  }

  /// Prints infinity and not-a-number. Infinity compared with an integer is not allowed as a literal, so it must be
  /// the result of arithmetic on constants and is printed as such.
  private static func notFinite(_ double: Double, type: ValueType?) -> String {
    if double.isNaN { return "nan" }
    let sign = double < 0 ? "-" : ""
    return type?.knowsInfinity == false ? "(\(sign)0.5 / 0)" : "\(sign)inf"
  }

  private static func quoted(_ bytes: [UInt8], isPlain: Bool) -> String {
    isPlain ? "\"\(String(decoding: bytes, as: UTF8.self))\"" : "B64\"\(Base64Text.encode(bytes))\""
  }

  private static func binary(_ bytes: [UInt8]) -> String {
    "binary(\(quoted(bytes, isPlain: bytes.allSatisfy { $0 < 0x80 && isPlainByte($0) })))"
  }

  private static func isPlain(_ string: String) -> Bool { string.utf8.allSatisfy(isPlainByte) }

  /// Whether the byte can be printed inside quotes. Quotes and backslashes have no escape that keeps their meaning
  /// (QueryLanguage §1), and control characters are hard to read.
  private static func isPlainByte(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'")
      && byte != UInt8(ascii: "\\")
  }
}
