// SPDX-License-Identifier: Apache-2.0

/// Encodes decimals as bytes that sort like the numbers, for storage and for SQL that compares stored values.
///
/// A key consists of a prefix of 18 bytes and a suffix. The prefix represents the number: equal numbers have equal
/// prefixes (1.0 and 1.00, 0 and −0), and prefixes compare like `Decimal128.numericOrder(to:)`, with not-a-number below
/// everything. The suffix preserves the representation and never begins with 0xFF. For a stored key `k`:
/// - `k >= prefix AND k < prefix || x'FF'` selects the decimals that equal a number;
/// - `k >= prefix || x'FF'` selects the greater ones, `k < prefix` the smaller ones;
/// - `substr(k, 1, 18)` can be compared with another column, sorted and grouped.
///
/// The prefix is the kind of number, followed by the exponent of the first digit plus 8192 in two bytes and 35 digits
/// as an integer in 15 bytes, all most significant first. For negative numbers every bit after the kind is inverted.
/// The suffix of a finite number is the number of its digits; the suffix of a zero is its sign and exponent in two
/// bytes; the suffix of not-a-number and the infinities is also the sign and exponent, followed by the coefficient in
/// 16 bytes.
public enum DecimalKey {
  /// The size of the prefix, which represents the number.
  public static let prefixByteCount = 18

  /// The first byte of the smallest key of a number. The first byte for not-a-number is smaller.
  package static let firstNumber = DecimalKind.negativeInfinity.rawValue

  /// Returns the prefix, which represents only the number.
  public static func prefix(of decimal: Decimal128) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(prefixByteCount)
    appendPrefix(DecimalParts(decimal), to: &key)
    return key
  }

  /// Returns the complete key, from which the decimal can be restored.
  public static func bytes(of decimal: Decimal128) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(prefixByteCount + 2)
    append(decimal, to: &key)
    return key
  }

  /// Appends the complete key to other bytes.
  public static func append(_ decimal: Decimal128, to key: inout [UInt8]) {
    let parts = DecimalParts(decimal)
    appendPrefix(parts, to: &key)
    appendSuffix(parts, to: &key)
  }

  /// Returns the decimal of a complete key, or nil if the bytes are not a key.
  public static func decimal(_ key: UnsafeRawBufferPointer) -> Decimal128? {
    guard key.count > prefixByteCount, let kind = DecimalKind(rawValue: key[0]) else { return nil }
    let prefix = UnsafeRawBufferPointer(rebasing: key[1..<prefixByteCount])
    let suffix = UnsafeRawBufferPointer(rebasing: key[prefixByteCount...])
    switch kind {
    case .negative, .positive: return finite(prefix, suffix, isNegative: kind == .negative)
    case .zero, .notANumber, .negativeInfinity, .infinity: return special(suffix, hasDigits: kind != .zero)
    }
  }

  private static func appendPrefix(_ parts: DecimalParts, to key: inout [UInt8]) {
    key.append(parts.kind.rawValue)
    guard parts.kind.isFiniteAndNotZero else {
      return key.append(contentsOf: repeatElement(0, count: prefixByteCount - 1))
    }
    let mask: UInt8 = parts.kind == .negative ? 0xFF : 0
    let exponent = UInt16(truncatingIfNeeded: parts.exponent + Int32(parts.digitCount) + exponentBias)
    for byte in bytes(of: exponent) { key.append(byte ^ mask) }
    let digits = parts.coefficient * PowersOfTen[keyDigitCount - parts.digitCount]
    for byte in bytes(of: digits).dropFirst() { key.append(byte ^ mask) }
  }

  private static func appendSuffix(_ parts: DecimalParts, to key: inout [UInt8]) {
    if parts.kind.isFiniteAndNotZero { return key.append(UInt8(parts.digitCount)) }
    let exponent = UInt16(truncatingIfNeeded: parts.exponent + exponentBias)
    key.append(contentsOf: bytes(of: exponent | (parts.isNegative ? signBit : 0)))
    if parts.kind != .zero { key.append(contentsOf: bytes(of: parts.coefficient)) }
  }

  private static func finite(
    _ prefix: UnsafeRawBufferPointer,
    _ suffix: UnsafeRawBufferPointer,
    isNegative: Bool
  ) -> Decimal128? {
    guard suffix.count == 1, (1...keyDigitCount).contains(Int(suffix[0])) else { return nil }
    let mask: UInt8 = isNegative ? 0xFF : 0
    let firstExponent = prefix[0..<2].reduce(0 as Int32) { $0 << 8 | Int32($1 ^ mask) } - exponentBias
    let digits = prefix[2...].reduce(0 as UInt128) { $0 << 8 | UInt128($1 ^ mask) }
    let (coefficient, rest) = digits.quotientAndRemainder(
      dividingBy: PowersOfTen[keyDigitCount - Int(suffix[0])]
    )
    guard rest == 0, coefficient <= DecimalParts.greatestCoefficient else { return nil }
    return Decimal128(
      coefficient,
      exponent: firstExponent - Int32(suffix[0]),
      isNegative: isNegative
    )
  }

  private static func special(_ suffix: UnsafeRawBufferPointer, hasDigits: Bool) -> Decimal128? {
    guard suffix.count == (hasDigits ? 18 : 2) else { return nil }
    let head = suffix[0..<2].reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
    let coefficient = suffix[2...].reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    return Decimal128(
      coefficient,
      exponent: Int32(head & ~signBit) - exponentBias,
      isNegative: head & signBit != 0
    )
  }

  private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// 2¹¹³, the smallest number above all coefficients, has 35 digits.
  private static let keyDigitCount = 35
  private static let exponentBias: Int32 = 8192
  private static let signBit: UInt16 = 0x8000
}

/// The first byte of a key.
private enum DecimalKind: UInt8 {
  case notANumber = 0x10
  case negativeInfinity = 0x20
  case negative = 0x30
  case zero = 0x40
  case positive = 0x50
  case infinity = 0x60

  var isFiniteAndNotZero: Bool { self == .negative || self == .positive }
}

/// The components of a decimal within the limits of the format.
private struct DecimalParts {
  static let greatestCoefficient: UInt128 = 1 << 113 - 1

  let kind: DecimalKind
  let coefficient: UInt128
  let exponent: Int32
  let isNegative: Bool
  /// At least 1.
  let digitCount: Int

  init(_ decimal: Decimal128) {
    coefficient = min(decimal.coefficient, Self.greatestCoefficient)
    exponent = min(max(decimal.exponent, -6176), 10207)
    isNegative = decimal.isNegative
    digitCount = PowersOfTen.digitCount(of: coefficient)
    if decimal.isNaN {
      kind = .notANumber
    } else if decimal.isInfinite {
      kind = isNegative ? .negativeInfinity : .infinity
    } else if coefficient == 0 {
      kind = .zero
    } else {
      kind = isNegative ? .negative : .positive
    }
  }
}

/// 10⁰ … 10³⁸: all powers of ten that fit.
enum PowersOfTen {
  private static let powers: [UInt128] = (0..<38).reduce(into: [1]) { powers, index in
    powers.append(powers[index] * 10)
  }

  static subscript(exponent: Int) -> UInt128 { powers[exponent] }

  /// Returns the number of decimal digits, which is 1 for zero.
  static func digitCount(of number: UInt128) -> Int {
    let bitCount = 128 - number.leadingZeroBitCount
    // log₁₀ 2 ≈ 1233/4096. The estimate is exact or one too small.
    let estimate = (bitCount * 1233) >> 12
    return max(1, number < powers[estimate] ? estimate : estimate + 1)
  }
}
