// SPDX-License-Identifier: Apache-2.0

extension CanonicalText {
  mutating func writeElements(of path: PropertyPath) {
    for link in path.links {
      write(link.property.name, of: link.owner, isBackward: link.isBackward)
      if let selector = link.selector { write(selector) }
      text += "."
    }
    write(path.property.name, of: path.owner, isBackward: path.endsInBacklinks)
    for selector in path.selectors { write(selector) }
    text += Self.suffix(path)
  }

  private mutating func write(_ property: String, of owner: String, isBackward: Bool) {
    if isBackward { text += "@links.\(Identifier.text(owner))." }
    text += Identifier.text(property)
  }

  private mutating func write(_ selector: ElementSelector) {
    switch selector {
    case .index(0): text += "[FIRST]"
    case .index(let index): text += "[\(index)]"
    case .last: text += "[LAST]"
    case .every: text += "[*]"
    case .key(let key): text += "[\(KeyText.quoted(key) ?? "''")]"
    case .keys: text += ".@keys"
    }
  }

  private static func suffix(_ path: PropertyPath) -> String {
    switch path.measure {
    case .value: ""
    case .count: path.property.type == .link ? ".@count" : ".@size"
    case .length: path.property.collection == .single || !path.selectors.isEmpty ? ".@size" : ".length"
    case .type: ".@type"
    case .incomingCount: ".@count"
    }
  }
}

/// Prints dictionary keys in brackets.
enum KeyText {
  /// Returns the key in quotes as the lexer reads them, or nil if it contains both kinds of quotes.
  static func quoted(_ key: String) -> String? {
    ["'\(key)'", "\"\(key)\""].first { text in
      guard let tokens = try? Lexer.tokens(of: text), tokens.count == 2 else { return false }
      return tokens[0].kind == .string && tokens[0].range == 0..<text.utf8.count
    }
  }
}
