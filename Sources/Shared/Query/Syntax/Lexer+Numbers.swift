// SPDX-License-Identifier: Apache-2.0

extension Lexer {
  /// Matches a number, a calendar date, or a signed infinity or not-a-number.
  func numeric(at start: Int) -> Match? {
    let first = bytes[start]
    guard Self.isDigit(first) || first == UInt8(ascii: ".") || signLength(at: start) == 1 else { return nil }
    var best = integer(at: start)
    best = longer(best, hexadecimal(at: start))
    best = longer(best, float(at: start))
    best = longer(best, calendarDate(at: start))
    return best ?? signedWord(at: start)
  }

  /// Returns the longer match, or the first if they are equally long.
  private func longer(_ first: Match?, _ second: Match?) -> Match? {
    guard let first, let second else { return first ?? second }
    return second.end > first.end ? second : first
  }

  private func integer(at start: Int) -> Match? {
    let sign = signLength(at: start)
    let digits = digitCount(at: start + sign)
    guard digits > 0 else { return nil }
    return (sign == 0 ? .natural : .number, start + sign + digits)
  }

  private func hexadecimal(at start: Int) -> Match? {
    guard starts(at: start, with: "0x") || starts(at: start, with: "0X") else { return nil }
    let digits = hexCount(at: start + 2)
    return digits > 0 ? (.number, start + 2 + digits) : nil
  }

  private func float(at start: Int) -> Match? {
    let whole = start + signLength(at: start)
    var digits = digitCount(at: whole)
    var index = whole + digits
    if byte(at: index) == UInt8(ascii: ".") {
      let fraction = digitCount(at: index + 1)
      index += 1 + fraction
      digits += fraction
    }
    guard digits > 0 else { return nil }
    index += exponentLength(at: index)
    if byte(at: index) == UInt8(ascii: "f") { index += 1 }
    return (.float, index)
  }

  private func exponentLength(at index: Int) -> Int {
    guard byte(at: index).map({ $0 | 0x20 }) == UInt8(ascii: "e") else { return 0 }
    let sign = signLength(at: index + 1)
    let digits = digitCount(at: index + 1 + sign)
    return digits > 0 ? 1 + sign + digits : 0
  }

  /// Matches `Y-M-D@h:m:s`, or the same with a `T`, optionally followed by `:ns`.
  private func calendarDate(at start: Int) -> Match? {
    var index = start
    for separator in ["-", "-", "@T", ":", ":", ""] {
      let digits = digitCount(at: index)
      guard digits > 0 else { return nil }
      index += digits
      if separator.isEmpty { break }
      guard let byte = byte(at: index), separator.utf8.contains(byte) else { return nil }
      index += 1
    }
    if byte(at: index) == UInt8(ascii: ":") {
      let digits = digitCount(at: index + 1)
      if digits > 0 { index += 1 + digits }
    }
    return (.timestamp, index)
  }

  private func signedWord(at start: Int) -> Match? {
    guard signLength(at: start) == 1 else { return nil }
    for (word, kind) in [("infinity", Token.Kind.infinity), ("inf", .infinity), ("nan", .notANumber)] {
      let end = start + 1 + word.utf8.count
      if end <= bytes.count, Self.lowercasedASCII(slice(start + 1..<end)) == word { return (kind, end) }
    }
    return nil
  }
}
