// SPDX-License-Identifier: Apache-2.0

/// Converts the text of an `NSPredicate` to Realm Query Language.
///
/// `%@`, `%d`, `%f`, `%lld` … stand for the next argument, `%K` for the next argument as a property name, and `%%`
/// for a percent sign. `@allKeys` and `@allValues` get their names in the query language, an array after BETWEEN
/// becomes a list of two, and `IN` with a shape becomes GEOWITHIN. Quoted text is left unchanged.
struct PredicateFormat {
  private var pending: ArraySlice<Any>
  /// The arguments that remain: those of `$0`, `$1` …
  private(set) var used: [Any] = []
  private var result = ""

  private static let conversions: Set<Character> = [
    "@", "d", "D", "i", "u", "U", "x", "X", "f", "F", "e", "g",
  ]
  private static let words = ["@allKeys": "@keys", "@allValues": "@values"]

  /// Whether the text had no placeholder, so that the arguments are those of `$0`, `$1` …
  var hasReplacedNone: Bool { pending.startIndex == 0 }

  init(arguments: [Any]) { pending = arguments[...] }

  /// Returns the text with its placeholders replaced. Fewer arguments than placeholders are a programming error.
  mutating func replaced(in text: String) -> String {
    var quote: Character?
    var rest = text[...]
    while let character = rest.popFirst() {
      if let open = quote {
        result.append(character)
        if character == "\\", let escaped = rest.popFirst() { result.append(escaped) }
        if character == open { quote = nil }
      } else if character == "%" {
        placeholder(&rest)
      } else if character == "@" {
        let word = "@" + rest.prefix { $0.isLetter }
        rest = rest.dropFirst(word.count - 1)
        result += PredicateFormat.words[word] ?? word
      } else {
        if character == "'" || character == "\"" { quote = character }
        result.append(character)
      }
    }
    return result
  }

  /// Converts what follows a percent sign.
  private mutating func placeholder(_ rest: inout Substring) {
    if rest.first == "%" {
      rest.removeFirst()
      result.append("%")
      return
    }
    if rest.first == "K" {
      rest.removeFirst()
      let path = flattened(nextArgument()).map { "\($0)" } ?? ""
      result += path == "#any" ? "*" : QueryName.text(ofKeyPath: path)
      return
    }
    let lengths = rest.prefix { "lqhz".contains($0) }
    let afterLengths = rest.dropFirst(lengths.count)
    guard let conversion = afterLengths.first, PredicateFormat.conversions.contains(conversion) else {
      result.append("%")
      return
    }
    rest = afterLengths.dropFirst()
    use(nextArgument())
  }

  private mutating func use(_ argument: Any) {
    if let shape = argument as? any GeoShape, removeWord("IN") {
      result += "GEOWITHIN \(shape.queryText)"
    } else if let limits = argument as? [Any], limits.count == 2, endsInWord("BETWEEN") {
      result += "{\(add(limits[0])), \(add(limits[1]))}"
    } else {
      result += add(argument)
    }
  }

  private mutating func add(_ argument: Any) -> String {
    used.append(argument)
    return "$\(used.count - 1)"
  }

  private func endsInWord(_ word: String) -> Bool {
    let words = result.split(separator: " ")
    return words.count > 1 && words.last?.uppercased() == word
  }

  /// Removes a word from the end of the result. Returns false if the result does not end with it.
  private mutating func removeWord(_ word: String) -> Bool {
    guard endsInWord(word) else { return false }
    while result.last == " " { result.removeLast() }
    result.removeLast(word.count)
    return true
  }

  private mutating func nextArgument() -> Any {
    guard let argument = pending.popFirst() else {
      Misuse.stop("a query has more placeholders than arguments")
    }
    return argument
  }
}
