// SPDX-License-Identifier: Apache-2.0

/// Names that are safe as a part of any path, on the server or on devices.
package enum PathName {
  /// Returns whether a text consists of letters, digits, - and _, is not empty, and is not too long.
  package static func isValid(_ text: String, maximumByteCount: Int) -> Bool {
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
