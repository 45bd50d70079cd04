// SPDX-License-Identifier: Apache-2.0

/// Two names that look the same and are written in different characters of Unicode, such as "é" as one character and
/// as two. Swift calls them equal, but for clients a name is its bytes.
package struct UnicodeTwins {
  private let name: String
  private let existing: String

  package init(_ name: String, _ existing: String) {
    self.name = name
    self.existing = existing
  }

  /// Returns why there cannot be both, for users.
  ///
  /// - Parameter kind: what they name, such as "class".
  package func problem(_ kind: String) -> String {
    "the names of \(kind) \"\(name)\" and \(kind) \"\(existing)\" look the same, but consist of other characters in "
      + "Unicode; use the same characters for both"
  }
}
