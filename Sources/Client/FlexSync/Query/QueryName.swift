// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Names of properties in query texts.
enum QueryName {
  /// The words that are names only after `#`, in lower case. Other words of the language may be names without it.
  private static let words: Set<String> = [
    "and", "or", "not", "any", "some", "all", "none", "true", "false", "null", "nil", "inf", "infinity",
    "nan",
    "truepredicate", "falsepredicate", "subquery", "obj", "geowithin", "geobox", "geopolygon", "geocircle",
  ]

  /// The name as query texts have it: after `#` if it is a word of the query language, and in quotes if it has other
  /// characters than words have. Linking objects are a path, `@links.Class.property`.
  static func text(_ name: String) -> String {
    if name.hasPrefix("@links.") { return text(ofKeyPath: name) }
    guard let first = name.first, first == "_" || first.isLetter, name.allSatisfy(\.isPartOfName) else {
      return quoted(name)
    }
    return isWord(name) ? "#\(name)" : name
  }

  /// The key path as query texts have it. Functions, variables and names that are escaped already stay as they are.
  static func text(ofKeyPath path: String) -> String {
    path.split(separator: ".", omittingEmptySubsequences: false).map { name in
      name.isEmpty || "@$#".contains(name[name.startIndex]) || name.contains("[")
        ? String(name) : text(String(name))
    }.joined(separator: ".")
  }

  /// Whether the name is a word of the query language, or a number of an object (`O12`).
  static func isWord(_ name: String) -> Bool {
    let isNumber = name.first == "O" && name.count > 1 && name.dropFirst().allSatisfy { "0"..."9" ~= $0 }
    return isNumber || words.contains(name.lowercased())
  }

  private static func quoted(_ name: String) -> String {
    guard let quote = ["'", "\""].first(where: { !name.contains($0) }), !name.contains("\\") else {
      return "#B64\"\(Data(name.utf8).base64EncodedString())\""
    }
    return "#\(quote)\(name)\(quote)"
  }
}

extension Character {
  /// Whether words may have the character.
  var isPartOfName: Bool { isLetter || isNumber || self == "_" }
}
