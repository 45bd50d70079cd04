// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncQuery

extension Connection {
  /// Registers the functions that compiled queries call.
  func registerFunctions() throws {
    try registerRowFunctions()
    try registerPartsFunction()
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

  private func registerPartsFunction() throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    try check(
      sqlite3_create_function_v2(handle, SQLFunction.anyPart, 2, flags, nil, callPartsFunction, nil, nil, nil)
    )
  }
}

/// Identifies the called function in a callback from SQLite.
private final class FunctionContext {
  let function: SQLFunction

  init(_ function: SQLFunction) { self.function = function }
}

/// Returns null if an argument is null, 0 if one is text and the other bytes, and otherwise the function's result.
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
  sqlite3_result_int(call, function.holds(bytes(of: arguments[0]), bytes(of: arguments[1])) ? 1 : 0)
}

/// Returns null if the text is null, and otherwise whether the text contains one of the parts.
private func callPartsFunction(
  _ call: OpaquePointer?,
  _ count: Int32,
  _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard count == 2, let arguments,
    let pointer = sqlite3_value_pointer(arguments[1], TextPartsArgument.pointerType.cString)
  else { return sqlite3_result_error(call, "The argument is not a list of parts", -1) }
  guard sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return sqlite3_result_null(call) }
  let argument = Unmanaged<TextPartsArgument>.fromOpaque(pointer).takeUnretainedValue()
  sqlite3_result_int(call, argument.parts.isAny(in: bytes(of: arguments[0])) ? 1 : 0)
}

/// Returns the bytes of an argument, valid while the function runs.
private func bytes(of argument: OpaquePointer?) -> TextMatching.Bytes {
  let base = sqlite3_value_blob(argument)?.assumingMemoryBound(to: UInt8.self)
  return TextMatching.Bytes(start: base, count: Int(sqlite3_value_bytes(argument)))
}

/// The parts that `SQLFunction.anyPart` searches for. SQLite keeps the object alive while it is bound.
final class TextPartsArgument {
  /// The type name that distinguishes the argument from foreign pointers.
  static let pointerType: StaticString = "flx_text_parts"

  fileprivate let parts: TextParts

  init(_ parts: TextParts) { self.parts = parts }
}
