// SPDX-License-Identifier: Apache-2.0

/// Turns the placeholders of `NSPredicate` in the text of a query into those of Realm Query Language.
///
/// `%@`, `%d`, `%f`, `%lld` … stand for the next argument, `%K` for the next argument as the name of a property, `%%` for
/// a percent sign. Text between quotes is left alone.
struct PredicateFormat {
  private var pending: ArraySlice<Any>
  /// The arguments that are left as such: those of `$0`, `$1` …
  private(set) var used: [Any] = []

  private static let conversions: Set<Character> = [
    "@", "d", "D", "i", "u", "U", "x", "X", "f", "F", "e", "g",
  ]

  init(arguments: [Any]) { pending = arguments[...] }

  /// The text with the placeholders replaced. Fewer arguments than placeholders are a mistake in the program.
  mutating func replaced(in text: String) -> String {
    var result = ""
    var quote: Character?
    var rest = text[...]
    while let character = rest.popFirst() {
      if let open = quote {
        result.append(character)
        if character == "\\", let escaped = rest.popFirst() { result.append(escaped) }
        if character == open { quote = nil }
      } else if character == "%" {
        result += placeholder(&rest)
      } else {
        if character == "'" || character == "\"" { quote = character }
        result.append(character)
      }
    }
    return result
  }

  /// Reads what follows a percent sign.
  private mutating func placeholder(_ rest: inout Substring) -> String {
    if rest.first == "%" {
      rest.removeFirst()
      return "%"
    }
    if rest.first == "K" {
      rest.removeFirst()
      return "\(nextArgument())"
    }
    let lengths = rest.prefix { "lqhz".contains($0) }
    let afterLengths = rest.dropFirst(lengths.count)
    guard let conversion = afterLengths.first, PredicateFormat.conversions.contains(conversion) else {
      return "%"
    }
    rest = afterLengths.dropFirst()
    used.append(nextArgument())
    return "$\(used.count - 1)"
  }

  private mutating func nextArgument() -> Any {
    guard let argument = pending.popFirst() else {
      preconditionFailure("a query has more placeholders than arguments")
    }
    return argument
  }
}
