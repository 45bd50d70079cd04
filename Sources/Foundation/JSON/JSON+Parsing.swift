// SPDX-License-Identifier: Apache-2.0

import CJansson

/// An error thrown for text that is not JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the problem as worded by the parser.
  public let message: String
  public let line: Int
  public let column: Int

  public var description: String { "not JSON: \(message) (line \(line), column \(column))" }
}

extension JSON {
  /// Parses exactly one JSON value, which may be surrounded by white space.
  ///
  /// - Throws: `JSONError` for anything else: invalid syntax, text after the value, strings that are not valid UTF-8,
  ///   numbers beyond 64 bits, repeated member names, nesting deeper than 2048.
  public static func parse(_ text: some Collection<UInt8>) throws(JSONError) -> JSON {
    var error = json_error_t()
    let flags = Int(JSON_DECODE_ANY_FLAG | JSON_ALLOW_NUL_FLAG | JSON_REJECT_DUPLICATES_FLAG)
    let root = Array(text).withUnsafeBytes { bytes in
      json_loadb(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
        bytes.count,
        flags,
        &error
      )
    }
    guard let root else {
      let message = withUnsafeBytes(of: error.text) { text in
        String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw JSONError(message: message, line: Int(error.line), column: Int(error.column))
    }
    defer { flx_json_release(root) }
    return JSON(root)
  }

  /// Parses the UTF-8 bytes of `text`; see `parse(_:)` for bytes.
  public static func parse(_ text: String) throws(JSONError) -> JSON { try parse(Array(text.utf8)) }

  private init(_ node: UnsafeMutablePointer<json_t>) {
    switch node.pointee.type {
    case JSON_OBJECT: self = .object(JSON.members(of: node))
    case JSON_ARRAY:
      self = .array((0..<json_array_size(node)).compactMap { json_array_get(node, $0).map(JSON.init) })
    case JSON_STRING: self = .string(JSON.text(json_string_value(node), count: json_string_length(node)))
    case JSON_INTEGER: self = .integer(Int64(json_integer_value(node)))
    case JSON_REAL: self = .double(json_real_value(node))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }

  private static func members(of object: UnsafeMutablePointer<json_t>) -> [Member] {
    var members: [Member] = []
    var iterator = json_object_iter(object)
    while let current = iterator {
      if let name = json_object_iter_key(current), let value = json_object_iter_value(current) {
        members.append(Member(String(cString: name), JSON(value)))
      }
      iterator = json_object_iter_next(object, current)
    }
    return members
  }

  private static func text(_ start: UnsafePointer<CChar>?, count: Int) -> String {
    guard let start else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// Replaces a null pointer if there is no text at all.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.initialize(to: 0)
  return UnsafePointer(text)
}()
