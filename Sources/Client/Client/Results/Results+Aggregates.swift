// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncQuery

/// An aggregate over one property of all objects of some results.
enum ResultsAggregate {
  /// The number of values that are not null.
  case count
  case function(AggregateFunction)
}

extension Results {
  /// Returns an aggregate over one property of all objects. Nulls are skipped.
  ///
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, TYPE_MISMATCH.
  func aggregate(_ aggregate: ResultsAggregate, _ key: flx_property_key_t) throws -> Value {
    try realm.requireOpen()
    let column = try info.column(key)
    guard column.isSingle else {
      throw CoreError(
        .typeMismatch,
        "'\(column.path)' is a collection; only single-valued properties can be aggregated."
      )
    }
    guard case .function(let function) = aggregate else { return .int(Int64(try values(of: column).count)) }
    guard function.applies(to: column.schema.type) else {
      throw CoreError(
        .typeMismatch,
        "'\(column.path)' has type \(column.schema.type), which does not support \(function.rawValue.dropFirst())."
      )
    }
    let path = PropertyPath(column.schema, of: info.name)
    return Aggregate(function, over: path).value(of: try values(of: column))
  }
}
