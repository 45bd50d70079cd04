// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A range of stored values, in the order of SQLite, that a number may have in a set of decimals or of mixed.
///
/// One number can be stored in several ways: 1, 1.0 and 1.00 as an integer, a double, a float and several decimals.
/// The index on the set's table finds each of them, where reading the set would take longer the larger it is.
struct NumberRange {
  enum Bound {
    case int(Int64)
    case double(Double)
    case blob([UInt8])

    func bind(to statement: Statement, at parameter: Int32) {
      switch self {
      case .int(let value): statement.bind(value, at: parameter)
      case .double(let value): statement.bind(value, at: parameter)
      case .blob(let bytes): statement.bind(bytes, at: parameter)
      }
    }
  }

  let lower: Bound
  let upper: Bound

  private init(_ lower: Bound, _ upper: Bound) {
    self.lower = lower
    self.upper = upper
  }

  /// Returns ranges that contain every stored form of a number, and few other values; none for values of other types.
  static func all(of value: Value, isMixed: Bool) -> [NumberRange] {
    guard let decimal = SetElements.decimal(of: value) else { return [] }
    let decimals = self.decimals(of: decimal, isMixed: isMixed)
    guard isMixed else { return [decimals] }
    if decimal.isNaN { return [decimals] + notANumbers }
    let double = self.double(of: value, decimal)
    return [decimals] + integersAndDoubles(of: value, double) + floats(near: Float(double))
  }

  private static func decimals(of decimal: Decimal128, isMixed: Bool) -> NumberRange {
    let prefix = (isMixed ? [MixedCoding.Tag.decimal.rawValue] : []) + DecimalKey.prefix(of: decimal)
    // The suffix of a stored key never starts with 0xFF.
    return NumberRange(.blob(prefix), .blob(prefix + [0xFF]))
  }

  private static func double(of value: Value, _ decimal: Decimal128) -> Double {
    switch value {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: decimal.doubleValue
    }
  }

  /// SQLite compares integers and doubles exactly, as the app does.
  private static func integersAndDoubles(of value: Value, _ double: Double) -> [NumberRange] {
    switch value {
    case .int(let value): [NumberRange(.int(value), .int(value))]
    case .decimal: [NumberRange(.double(double.nextDown), .double(double.nextUp))]
    default: [NumberRange(.double(double), .double(double))]
    }
  }

  /// A decimal counts as the float whose shortest text is the decimal's. Both roundings can be off by one.
  private static func floats(near float: Float) -> [NumberRange] {
    let forms = float == 0 ? [0] : [float.nextDown, float, float.nextUp]
    return forms.map { range(of: .float($0)) }
  }

  /// All that are not a number are the same, of whatever type.
  private static let notANumbers = [range(of: .float(.nan)), range(of: .double(.nan))]

  /// Returns the range of a single value that a mixed stores as a BLOB.
  private static func range(of value: Value) -> NumberRange {
    let blob = MixedCoding.blob(of: value)
    return NumberRange(.blob(blob), .blob(blob))
  }

  private static func float(_ bits: UInt32) -> Bound {
    .blob([MixedCoding.Tag.float.rawValue] + withUnsafeBytes(of: bits.bigEndian, Array.init))
  }
}
