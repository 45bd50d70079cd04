// SPDX-License-Identifier: Apache-2.0

/// Names in query texts (QueryLanguage §1, "Identifiers").
enum Identifier {
  /// Returns the name that an identifier stands for.
  static func name(_ identifier: String) throws(QueryError) -> String {
    guard identifier.utf8.first == UInt8(ascii: "#") else { return unescape(identifier) }
    let written = identifier.dropFirst()
    if written.hasPrefix("B64\"") {
      guard case .string(let name) = try Base64Text.string(String(written.dropFirst(4).dropLast())) else {
        throw .query("\(identifier) is not a name: its bytes are not UTF-8")
      }
      return name
    }
    let isQuoted = written.utf8.first == UInt8(ascii: "\"") || written.utf8.first == UInt8(ascii: "'")
    return isQuoted ? String(written.dropFirst().dropLast()) : unescape(String(written))
  }

  /// Returns the identifier for a name, with `#` only if there is no other way to write it.
  static func text(_ name: String) -> String {
    let escaped = escape(name)
    let texts = [escaped, "#\(escaped)", "#'\(name)'", "#\"\(name)\""]
    return texts.first { isIdentifier($0, of: name) } ?? "#B64\"\(Base64Text.encode(Array(name.utf8)))\""
  }

  /// Whether bytes of a text are a word of letters, digits and what else identifiers may have.
  static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    let lexer = Lexer(String(decoding: bytes, as: UTF8.self))
    guard let first = lexer.bytes.first, Lexer.isIdentifierStart(first) else { return false }
    return lexer.identifierEnd(at: 0) == lexer.bytes.count
  }

  private static func isIdentifier(_ text: String, of name: String) -> Bool {
    guard let tokens = try? Lexer.tokens(of: text), tokens.count == 2, tokens[0].kind.mayBeIdentifier,
      tokens[0].range == 0..<text.utf8.count
    else { return false }
    return (try? self.name(text)) == name
  }

  private static func unescape(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\\")) else { return name }
    var result = ""
    var isEscaped = false
    for scalar in name.unicodeScalars {
      if isEscaped {
        result.unicodeScalars.append(controls[scalar] ?? scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func escape(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case " ": result += "\\ "
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static let controls: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t"]
}
