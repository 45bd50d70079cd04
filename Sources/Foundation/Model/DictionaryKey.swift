// SPDX-License-Identifier: Apache-2.0

/// The rules for dictionary keys.
public enum DictionaryKey {
  /// The wording of the rule in messages.
  public static let rule = "keys cannot begin with '$' or contain '.' or NUL"

  /// Returns a key for use in messages. NUL is escaped because some readers treat it as the end of the message.
  public static func text(_ key: String) -> String { key.replacing("\u{0}", with: "\\0") }

  /// Whether a key can be written. Realm's clients fail on changes with a key that begins with a dollar sign or
  /// contains a dot, and a document field cannot have a name that contains NUL.
  public static func isValid(_ key: String) -> Bool {
    key.utf8.first != UInt8(ascii: "$") && !key.utf8.contains { $0 == UInt8(ascii: ".") || $0 == 0 }
  }
}
