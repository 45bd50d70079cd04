// SPDX-License-Identifier: Apache-2.0

import FlexSyncDocuments

/// Comma-separated values (RFC 4180) in which lines that begin with `#` are comments.
enum DelimitedText {
  struct Row: Hashable {
    /// The number of its first line.
    let line: Int
    let fields: [String]
    /// The row as it appears in the file, without the line ending.
    let text: String
  }

  /// - Throws: `DocumentError` for an unmatched quotation mark.
  static func rows(_ content: ArraySlice<UInt8>) throws(DocumentError) -> [Row] {
    var rows: [Row] = []
    var line = 1
    var rest = content
    while !rest.isEmpty {
      let start = rest
      guard rest.first != UInt8(ascii: "#") else {
        rest = rest.drop { $0 != 0x0A }.dropFirst()
        line += 1
        continue
      }
      let fields = try fields(&rest, line: line)
      let text = start[..<rest.startIndex]
      let row = Row(line: line, fields: fields, text: String(decoding: text.withoutLineEnd, as: UTF8.self))
      line += text.count { $0 == 0x0A }
      if fields != [""] { rows.append(row) }
    }
    return rows
  }

  /// Removes the first row from `rest` and returns its fields.
  private static func fields(_ rest: inout ArraySlice<UInt8>, line: Int) throws(DocumentError) -> [String] {
    var fields: [String] = []
    while true {
      fields.append(String(decoding: try field(&rest, line: line), as: UTF8.self))
      guard let separator = rest.popFirst() else { return fields }
      if separator == UInt8(ascii: ",") { continue }
      if separator == 0x0D, rest.first == 0x0A { rest.removeFirst() }
      return fields
    }
  }

  /// Removes a field, up to the comma or the end of the line, and returns it.
  private static func field(_ rest: inout ArraySlice<UInt8>, line: Int) throws(DocumentError) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard rest.first == quote else {
      let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
      defer { rest = rest[end...] }
      return Array(rest[..<end])
    }
    rest.removeFirst()
    var field: [UInt8] = []
    while let end = rest.firstIndex(of: quote) {
      field += rest[..<end]
      rest = rest[(end + 1)...]
      guard rest.first == quote else {
        guard let next = rest.first, ![UInt8(ascii: ","), 0x0A, 0x0D].contains(next) else { return field }
        throw DocumentError(
          description:
            "line \(line): text after a closing quotation mark; write \"\" for a quotation mark inside a field"
        )
      }
      field.append(quote)
      rest.removeFirst()
    }
    throw DocumentError(description: "line \(line): a quotation mark is not closed")
  }
}

extension ArraySlice<UInt8> {
  fileprivate var withoutLineEnd: ArraySlice<UInt8> {
    var slice = self
    while let last = slice.last, last == 0x0A || last == 0x0D { slice.removeLast() }
    return slice
  }
}
