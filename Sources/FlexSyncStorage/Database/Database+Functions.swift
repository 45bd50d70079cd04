// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncQuery

extension Connection {
  /// Makes the functions known that compiled queries call.
  func registerFunctions() throws {
    try registerRowFunctions()
    for function in SQLFunction.allCases {
      let context = Unmanaged.passRetained(FunctionContext(function))
      try check(
        sqlite3_create_function_v2(
          handle,
          function.name,
          2,
          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
          context.toOpaque(),
          callFunction,
          nil,
          nil,
          { Unmanaged<FunctionContext>.fromOpaque($0!).release() }
        )
      )
    }
  }
}

/// Says which function it is when SQLite calls.
private final class FunctionContext {
  let function: SQLFunction

  init(_ function: SQLFunction) { self.function = function }
}

/// Null if an argument is null, 0 for a text against bytes, else what the function says.
private func callFunction(
  _ call: OpaquePointer?,
  _ count: Int32,
  _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard count == 2, let arguments, let context = sqlite3_user_data(call) else { return }
  let types = (sqlite3_value_type(arguments[0]), sqlite3_value_type(arguments[1]))
  guard types.0 != SQLITE_NULL, types.1 != SQLITE_NULL else { return sqlite3_result_null(call) }
  guard types.0 == types.1 else { return sqlite3_result_int(call, 0) }
  let function = Unmanaged<FunctionContext>.fromOpaque(context).takeUnretainedValue().function
  let holds = function.holds(bytes(of: arguments[0]), bytes(of: arguments[1]))
  sqlite3_result_int(call, holds ? 1 : 0)
}

private func bytes(of argument: OpaquePointer?) -> [UInt8] {
  let base = sqlite3_value_blob(argument)
  return [UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(argument))))
}
