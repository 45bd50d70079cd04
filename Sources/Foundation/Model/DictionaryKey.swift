// SPDX-License-Identifier: Apache-2.0

/// The keys that dictionaries can have.
public enum DictionaryKey {
  /// The rule in words, for messages.
  public static let rule = "keys cannot begin with '$' or contain '.' or NUL"

  /// A key in words, for messages, which end at a NUL for some readers.
  public static func text(_ key: String) -> String { key.replacing("\u{0}", with: "\\0") }

  /// Whether a key can be written. Realm's clients fail on changes with a key that begins with a dollar sign or contains a
  /// dot, and a field of a document cannot have a name with NUL in it.
  public static func isValid(_ key: String) -> Bool {
    key.utf8.first != UInt8(ascii: "$") && !key.utf8.contains { $0 == UInt8(ascii: ".") || $0 == 0 }
  }
}
