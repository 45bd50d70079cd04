// SPDX-License-Identifier: Apache-2.0

/// App identifiers, which also serve as the names of the apps' folders.
package enum AppID {
  package static let rule = "must consist of 1 to 128 letters, digits, - or _"
  private static let maximumByteCount = 128

  package static func isValid(_ text: String) -> Bool { isName(text, maximumByteCount: maximumByteCount) }

  /// Returns whether a text is fit for the name of a folder: not empty, not too long, and free of special characters.
  package static func isName(_ text: String, maximumByteCount: Int) -> Bool {
    (1...maximumByteCount).contains(text.utf8.count) && text.utf8.allSatisfy(isAllowed)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
