// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// Texts of clients for logs and records: as much of them as people read, so that long queries do not push everything
/// else out.
package enum ShortenedText {
  static let byteCount = 4 << 10
  /// The most of one record.
  package static let recordByteCount = 32 << 10

  /// The beginning of a long text, and how long it is.
  package static func cut(_ text: String, to count: Int = byteCount) -> String {
    guard text.utf8.count > count else { return text }
    var beginning = String(decoding: text.utf8.prefix(count), as: UTF8.self)
    // The cut may go through a character.
    if beginning.unicodeScalars.last == "\u{fffd}" { beginning.unicodeScalars.removeLast() }
    return "\(beginning)… (\(text.utf8.count) bytes)"
  }

  /// The text with what cannot be seen written as `\u{…}`, so that it neither hides nor moves what stands beside it.
  package static func printable(_ text: String, to count: Int = byteCount) -> String {
    let text = cut(text, to: count)
    guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return text }
    guard !text.unicodeScalars.allSatisfy(isPrintable) else { return text }
    return text.unicodeScalars.map { scalar in
      isPrintable(scalar) ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
    }.joined()
  }

  /// False for what controls terminals and the direction of text, what breaks lines, and what is no character.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

extension JSON {
  /// The value with its long texts cut. What comes when the budget is used up is only counted.
  ///
  /// - Parameter budget: in bytes; what the result takes is subtracted.
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
