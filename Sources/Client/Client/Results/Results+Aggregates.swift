// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncQuery

extension Results {
  /// Returns an aggregate over one property of all objects. Nulls are skipped.
  ///
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, TYPE_MISMATCH, INVALID_ARGUMENT.
  func aggregate(_ aggregate: flx_aggregate_t, _ key: flx_property_key_t) throws -> Value {
    try realm.requireOpen()
    let column = try info.column(key)
    guard column.isSingle else {
      throw CoreError(
        .FLX_STATUS_TYPE_MISMATCH,
        "'\(column.path)' is a collection; only single-valued properties can be aggregated."
      )
    }
    if aggregate == .FLX_AGGREGATE_COUNT { return .int(Int64(try values(of: column).count)) }
    let function = try function(aggregate)
    guard column.schema.type.takes(function) else {
      throw CoreError(
        .FLX_STATUS_TYPE_MISMATCH,
        "'\(column.path)' has type \(column.schema.type), which does not support \(function.rawValue.dropFirst())."
      )
    }
    let path = PropertyPath(column.schema, of: info.name)
    return Aggregate(function, over: path).value(of: try values(of: column))
  }

  private func function(_ aggregate: flx_aggregate_t) throws -> AggregateFunction {
    switch aggregate {
    case .FLX_AGGREGATE_MIN: .minimum
    case .FLX_AGGREGATE_MAX: .maximum
    case .FLX_AGGREGATE_SUM: .sum
    case .FLX_AGGREGATE_AVERAGE: .average
    default: throw CoreError.invalidArgument("Unknown aggregate: \(aggregate.rawValue).")
    }
  }
}

extension ValueType {
  /// Whether the values support the ordering or arithmetic that the function needs.
  fileprivate func takes(_ function: AggregateFunction) -> Bool {
    switch self {
    case .int, .float, .double, .decimal, .mixed: true
    case .timestamp: function == .minimum || function == .maximum
    default: false
    }
  }
}
