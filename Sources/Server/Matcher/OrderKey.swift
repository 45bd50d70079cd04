// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The position of a value among the values it is comparable with, as a single word.
///
/// The mapping is monotone and lossy: keys preserve the order of values, but different values may share a key. A
/// value between the keys of two bounds is therefore a candidate, and any other value is not.
struct OrderKey: Hashable {
  /// The kind of a value. Values of different kinds are not comparable.
  enum Kind: UInt8, CaseIterable {
    case number, text, bool, timestamp, objectId, uuid
  }

  let kind: Kind
  let key: UInt64

  /// Returns nil for values without an order.
  ///
  /// - Parameter isInteger: Whether the slot holds integers, whose keys then preserve distances.
  @inline(__always)
  init?(_ value: Value, isInteger: Bool) {
    switch value {
    case .int(let int) where isInteger: self.init(.number, NumberKey.ordered(int))
    case .int(let int): self.init(.number, NumberKey.ordered(Double(int)))
    case .float(let float): self.init(.number, NumberKey.ordered(Double(float), isInteger: isInteger))
    case .double(let double): self.init(.number, NumberKey.ordered(double, isInteger: isInteger))
    case .decimal(let decimal):
      self.init(.number, NumberKey.ordered(NumberKey.double(decimal), isInteger: isInteger))
    case .bool(let bool): self.init(.bool, bool ? 1 : 0)
    case .string(let string): self.init(.text, OrderKey.head(string))
    case .malformedString(let bytes), .binary(let bytes):
      self.init(.text, bytes.withUnsafeBytes(OrderKey.head))
    case .timestamp(let time): self.init(.timestamp, OrderKey.nanoseconds(time))
    case .objectId(let id): self.init(.objectId, id.high)
    case .uuid(let uuid): self.init(.uuid, uuid.high)
    case .null, .link, .list, .dictionary: return nil
    }
  }

  @inline(__always)
  private init(_ kind: Kind, _ key: UInt64) {
    self.kind = kind
    self.key = key
  }

  /// Returns the smallest and the greatest key of all values that compare equal to a constant. Floats and decimals
  /// compare by the float's shortest text, which need not denote exactly the same number.
  static func bounds(_ constant: Value, isInteger: Bool) -> (kind: Kind, lower: UInt64, upper: UInt64)? {
    guard let key = OrderKey(constant, isInteger: isInteger) else { return nil }
    let twin: Double? =
      switch constant {
      case .float(let float): NumberKey.shortest(float)
      case .decimal(let decimal): Double(Float(NumberKey.double(decimal)))
      default: nil
      }
    guard let twin else { return (key.kind, key.key, key.key) }
    let other = NumberKey.ordered(twin, isInteger: isInteger)
    return (key.kind, min(key.key, other), max(key.key, other))
  }

  @inline(__always)
  private static func head(_ string: String) -> UInt64 {
    var string = string
    return string.withUTF8 { head(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the first eight bytes, padded with zeros.
  private static func head(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var key: UInt64 = 0
    for byte in bytes { key = key << 8 | UInt64(byte) }
    return bytes.isEmpty ? 0 : key << UInt64(8 * (8 - bytes.count))
  }

  /// Returns the time as an ordered key, exact within 272 years of 1970.
  private static func nanoseconds(_ time: Timestamp) -> UInt64 {
    let limit: Int64 = 1 << 33 - 1
    if time.seconds >= limit { return .max }
    if time.seconds <= -limit { return 0 }
    return NumberKey.ordered(time.seconds * 1_000_000_000 + Int64(time.nanoseconds))
  }
}

/// Numbers of all types on one scale.
enum NumberKey {
  /// Returns the double nearest to a decimal.
  static func double(_ decimal: Decimal128) -> Double {
    if decimal.coefficientHigh == 0, decimal.coefficientLow < 1 << 53, decimal.exponent.magnitude <= 22 {
      // Both are exact doubles, so the result is correctly rounded.
      let power = powersOfTen[Int(decimal.exponent.magnitude)]
      let digits = Double(decimal.coefficientLow)
      let magnitude = decimal.exponent < 0 ? digits / power : digits * power
      return decimal.isNegative ? -magnitude : magnitude
    }
    if decimal.isNaN { return .nan }
    let text = decimal.text
    return Double(text) ?? (decimal.exponent < 0 ? 0 : decimal.isNegative ? -.infinity : .infinity)
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20,
    1e21, 1e22,
  ]

  /// Returns the decimal as an integer; nil if it is not an integer or is out of range.
  static func integer(_ decimal: Decimal128) -> Int64? {
    guard !decimal.isNaN, !decimal.isInfinite else { return nil }
    var digits = decimal.coefficient
    var exponent = decimal.exponent
    if digits == 0 { return 0 }
    while exponent < 0, digits % 10 == 0 {
      digits /= 10
      exponent += 1
    }
    while exponent > 0, digits <= UInt128(Int64.max) {
      digits *= 10
      exponent -= 1
    }
    guard exponent == 0, digits <= UInt128(Int64.max) else { return nil }
    return decimal.isNegative ? -Int64(digits) : Int64(digits)
  }

  /// Returns the number denoted by a float's shortest text, with which decimals are compared.
  static func shortest(_ float: Float) -> Double { Double(float.description) ?? .nan }

  @inline(__always)
  static func ordered(_ int: Int64) -> UInt64 { UInt64(bitPattern: int) ^ (1 << 63) }

  /// NaN sorts first, as for decimals.
  @inline(__always)
  static func ordered(_ double: Double) -> UInt64 {
    if double.isNaN { return 0 }
    let bits = (double == 0 ? 0 : double).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | (1 << 63)
  }

  /// Returns the key on the scale of a slot. For integers the scale is uniform, and a fraction gets the key of the
  /// integer below.
  @inline(__always)
  static func ordered(_ double: Double, isInteger: Bool) -> UInt64 {
    guard isInteger else { return ordered(double) }
    if double.isNaN || double < -0x1p63 { return 0 }
    if double >= 0x1p63 { return .max }
    return ordered(Int64(double.rounded(.down)))
  }
}
