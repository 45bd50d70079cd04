// SPDX-License-Identifier: Apache-2.0

/// Helpers for SQL text.
enum SQLText {
  /// Returns a name in double quotes.
  static func quoted(_ name: String) -> String {
    var result = "\""
    for character in name.unicodeScalars {
      if character == "\"" { result += "\"" }
      result.unicodeScalars.append(character)
    }
    return result + "\""
  }

  /// Returns an unused name for a table or column, as close to `wanted` as possible.
  ///
  /// SQLite treats names that differ only in the case of ASCII letters as equal. Names that start with `flx_` or
  /// `sqlite_` are reserved. `taken` contains the folded names in use; the new name is added to it.
  static func claimName(_ wanted: String, taken: inout Set<String>) -> String {
    var base = String.UnicodeScalarView()
    for scalar in wanted.unicodeScalars { base.append(scalar.value < 0x20 ? "_" : scalar) }
    var name = String(base)
    let lowercased = folded(name)
    if name.isEmpty || lowercased.hasPrefix("flx_") || lowercased.hasPrefix("sqlite_") {
      name = "app_\(name)"
    }
    var candidate = name
    var number = 2
    while !taken.insert(folded(candidate)).inserted {
      candidate = "\(name)~\(number)"
      number += 1
    }
    return candidate
  }

  /// Returns the name with its ASCII letters in lower case.
  static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 + 32 : $0 },
      as: UTF8.self
    )
  }
}
