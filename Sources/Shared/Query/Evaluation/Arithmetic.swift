// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension ArithmeticOperator {
  /// Returns the result for two numbers in the more general of their types, or null if an operand is not a number
  /// (QueryLanguage §4).
  ///
  /// Integers wrap around, their division truncates, and dividing by the integer zero yields the extreme integer.
  func apply(_ left: Value, _ right: Value) -> Value {
    switch (left, right) {
    case (.int(let left), .int(let right)): apply(left, right)
    case (.float(let left), .float(let right)): .float(apply(left, right))
    case (.float(let left), .int(let right)): .float(apply(left, Float(right)))
    case (.int(let left), .float(let right)): .float(apply(Float(left), right))
    case (.decimal(let left), _): ValueOrder.decimal(of: right).map { .decimal(apply(left, $0)) } ?? .null
    case (_, .decimal(let right)): ValueOrder.decimal(of: left).map { .decimal(apply($0, right)) } ?? .null
    default: doubles(left, right)
    }
  }

  private func doubles(_ left: Value, _ right: Value) -> Value {
    guard let left = left.number, let right = right.number else { return .null }
    return .double(apply(left, right))
  }

  private func apply(_ left: Int64, _ right: Int64) -> Value {
    switch self {
    case .add: .int(left &+ right)
    case .subtract: .int(left &- right)
    case .multiply: .int(left &* right)
    case .divide where right == 0: .int(left < 0 ? .min : .max)
    case .divide: .int(left.dividedReportingOverflow(by: right).partialValue)
    }
  }

  private func apply<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Number {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }

  private func apply(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }
}

extension Value {
  /// An integer or floating-point number as a double.
  var number: Double? {
    switch self {
    case .int(let int): Double(int)
    case .float(let float): Double(float)
    case .double(let double): double
    default: nil
    }
  }
}
