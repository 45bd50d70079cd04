// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// Shortening of client-supplied text for logs and records to a readable length, so that long queries do not crowd
/// out everything else.
package enum ShortenedText {
  static let byteCount = 4 << 10
  /// The maximum size of one record.
  package static let recordByteCount = 32 << 10

  /// Returns the text, or the beginning of a long text and its length.
  package static func cut(_ text: String, to count: Int = byteCount) -> String {
    guard text.utf8.count > count else { return text }
    var beginning = String(decoding: text.utf8.prefix(count), as: UTF8.self)
    // The cut may split a character.
    if beginning.unicodeScalars.last == "\u{fffd}" { beginning.unicodeScalars.removeLast() }
    return "\(beginning)… (\(text.utf8.count) bytes)"
  }

  /// Returns the text with invisible characters written as `\u{…}`, so that they neither hide nor move the text
  /// around them.
  package static func printable(_ text: String, to count: Int = byteCount) -> String {
    let text = cut(text, to: count)
    guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return text }
    guard !text.unicodeScalars.allSatisfy(isPrintable) else { return text }
    return text.unicodeScalars.map { scalar in
      isPrintable(scalar) ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
    }.joined()
  }

  /// Returns false for characters that control terminals or text direction, for line breaks, and for code points that
  /// are not characters.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension JSON {
  /// Returns the value with its long texts cut. Elements after the budget is used up are only counted.
  ///
  /// - Parameter budget: The budget in bytes, from which the size of the result is subtracted.
  func shortened(_ budget: inout Int) -> JSON {
    budget -= 8
    switch self {
    case .string(let text):
      let text = ShortenedText.cut(text)
      budget -= text.utf8.count
      return .string(text)
    case .array(let elements):
      var result: [JSON] = []
      for (offset, element) in elements.enumerated() {
        guard budget > 0 else { return .array(result + [JSON.omitted(elements.count - offset)]) }
        result.append(element.shortened(&budget))
      }
      return .array(result)
    case .object(let members): return .object(JSON.shortened(members, &budget))
    default: return self
    }
  }

  package static func shortened(_ members: [Member], _ budget: inout Int) -> [Member] {
    var result: [Member] = []
    for (offset, member) in members.enumerated() {
      guard budget > 0 else { return result + [Member("…", omitted(members.count - offset))] }
      budget -= member.name.utf8.count
      result.append(Member(member.name, member.value.shortened(&budget)))
    }
    return result
  }

  private static func omitted(_ count: Int) -> JSON { .string("… \(count) more") }
}
