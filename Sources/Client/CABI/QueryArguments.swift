// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncQuery

extension Realm {
  /// Converts the values of `$0`, `$1` … passed by a C caller.
  ///
  /// - Throws: `CoreError` QUERY_ARGUMENT, INVALID_ARGUMENT.
  func queryArguments(_ arguments: UnsafePointer<flx_query_argument_t>?, count: Int) throws -> [QueryArgument]
  {
    try CArray.view(arguments, count: count, "query arguments").enumerated().map { position, argument in
      try Reserved.requireZero(argument.reserved, of: "flx_query_argument_t")
      // Before any value is read: there may be memory for one only.
      guard argument.is_list || argument.count == 1 else {
        throw CoreError(
          .queryArgument,
          "Query argument $\(position) is not a list and must have exactly one value, but its count is "
            + "\(UInt(bitPattern: argument.count))."
        )
      }
      let values = try CArray.view(argument.values, count: argument.count, "values of $\(position)").map {
        try queryValue($0, position)
      }
      return argument.is_list ? .list(values) : .value(values[0])
    }
  }

  private func queryValue(_ value: flx_value_t, _ position: Int) throws -> Value {
    guard value.type == .FLX_TYPE_LINK else { return try value.model("Query argument $\(position)") }
    let info = try schema.requireClass(of: value.link)
    let key = try store.key(of: value.link.row, in: info.table)
    return .link(key.map { Link(className: info.name, key: $0) } ?? .nowhere(info.name))
  }
}
