// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Decimals are stored as `DecimalKey`, so that equal numbers form a range of bytes.
extension SQLCompiler {
  func decimalTest(
    _ symbol: Comparison.Operator,
    _ column: SQLColumn,
    _ constant: Value,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment {
    guard let decimal = ValueOrder.decimal(of: constant) else { throw Inexpressible() }
    let prefix = DecimalKey.prefix(of: decimal)
    // The suffix of a stored key never starts with 0xFF.
    let (start, end) = (bind(.binary(prefix)), bind(.binary(prefix + [0xFF])))
    let value = column.value
    switch symbol {
    case .equal: return exactly("\(value) >= \(start) AND \(value) < \(end)", isExact)
    case .notEqual: return "NOT \(exactly("\(value) >= \(start) AND \(value) < \(end)", true))"
    case .less: return exactly("\(value) < \(start)", isExact)
    case .lessOrEqual: return exactly("\(value) < \(end)", isExact)
    case .greater: return exactly("\(value) >= \(end)", isExact)
    case .greaterOrEqual: return exactly("\(value) >= \(start)", isExact)
    default: throw Inexpressible()
    }
  }
}

extension Value {
  /// Returns the constant in a form that compares the same with a column of another numeric type, or nil if that is
  /// not guaranteed.
  func comparable(with type: ValueType) -> Value? {
    guard case .decimal(let decimal) = self else { return self }
    guard type == .int, let int = Int64(decimal.text) else { return nil }
    return .int(int)
  }
}
