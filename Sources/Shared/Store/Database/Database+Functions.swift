// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncQuery

extension Connection {
  /// Makes the functions known that compiled queries call.
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
  sqlite3_result_int(call, function.holds(bytes(of: arguments[0]), bytes(of: arguments[1])) ? 1 : 0)
}

/// Null if the text is null, else whether one of the parts stands in it.
private func callPartsFunction(
  _ call: OpaquePointer?,
  _ count: Int32,
  _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard count == 2, let arguments,
    let pointer = sqlite3_value_pointer(arguments[1], TextPartsArgument.pointerType.cString)
  else { return sqlite3_result_error(call, "The argument is no list of parts", -1) }
  guard sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return sqlite3_result_null(call) }
  let argument = Unmanaged<TextPartsArgument>.fromOpaque(pointer).takeUnretainedValue()
  sqlite3_result_int(call, argument.parts.isAny(in: bytes(of: arguments[0])) ? 1 : 0)
}

/// The bytes of an argument, for as long as the function runs.
private func bytes(of argument: OpaquePointer?) -> TextMatching.Bytes {
  let base = sqlite3_value_blob(argument)?.assumingMemoryBound(to: UInt8.self)
  return TextMatching.Bytes(start: base, count: Int(sqlite3_value_bytes(argument)))
}

/// The parts that `SQLFunction.anyPart` looks for. SQLite keeps it alive for as long as it is bound.
final class TextPartsArgument {
  /// What tells the argument from pointers of others.
  static let pointerType: StaticString = "flx_text_parts"

  fileprivate let parts: TextParts

  init(_ parts: TextParts) { self.parts = parts }
}
