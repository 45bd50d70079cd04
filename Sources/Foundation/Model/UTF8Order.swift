// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Compares strings by their UTF-8 bytes.
///
/// Swift's `==` treats canonically equivalent strings as equal, but in Realm's data model they are different values.
public enum UTF8Order {
  public static func areEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && compare(left, right) == 0
  }

  public static func isLess(_ left: String, _ right: String) -> Bool {
    compare(left, right) < 0
  }

  /// Returns a negative number, zero or a positive number if `left` sorts before, with or after `right`.
  public static func compare(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { leftBytes in
      right.withUTF8 { rightBytes in
        let common = min(leftBytes.count, rightBytes.count)
        guard common > 0, let leftBase = leftBytes.baseAddress, let rightBase = rightBytes.baseAddress else {
          return leftBytes.count - rightBytes.count
        }
        let order = memcmp(leftBase, rightBase, common)
        return order != 0 ? Int(order) : leftBytes.count - rightBytes.count
      }
    }
  }

  /// Feeds the bytes of `text` and their count to `hasher`.
  public static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    hasher.combine(text.utf8.count)
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
