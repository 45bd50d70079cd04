// SPDX-License-Identifier: Apache-2.0

extension JSON {
  /// The value as compact text: no white space, members in their order, and no unnecessary escapes.
  ///
  /// Numbers that JSON cannot represent (not-a-number, infinities) become null.
  public var serialized: String {
    var output: [UInt8] = []
    write(to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): output.append(contentsOf: String(value).utf8)
    case .double(let value): output.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): JSON.write(value, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (offset, element) in elements.enumerated() {
        if offset > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (offset, member) in members.enumerated() {
        if offset > 0 { output.append(UInt8(ascii: ",")) }
        JSON.write(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { bytes in
      var rest = bytes[...]
      // Most bytes need no escape, so everything up to the next one that does is copied in one piece.
      while let index = rest.firstIndex(where: mustBeEscaped) {
        output.append(contentsOf: rest[..<index])
        writeEscaped(rest[index], to: &output)
        rest = rest[(index + 1)...]
      }
      output.append(contentsOf: rest)
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func writeEscaped(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\n"): output.append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): output.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): output.append(UInt8(ascii: "t"))
    case 0..<0x20:
      output.append(contentsOf: (byte < 0x10 ? "u000" : "u00").utf8)
      output.append(contentsOf: String(byte, radix: 16).utf8)
    default: output.append(byte)
    }
  }
}
