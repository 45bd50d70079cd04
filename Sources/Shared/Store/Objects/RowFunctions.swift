// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncModel
import FlexSyncQuery

/// The first argument of a function that evaluates an entire object (`SQLRowFunction`): the operation and the store
/// of the objects. SQLite keeps it alive while it is bound.
final class RowFunctionArgument {
  /// The type name that distinguishes the argument from foreign pointers.
  static let pointerType: StaticString = "flx_row_function"

  enum Result {
    case bool(Bool)
    case bytes([UInt8])
  }

  private let reader: StoredRowReader
  private let table: ClassTable
  private let evaluate: (StoredRow) -> Result

  /// - Throws: `ObjectError` for an undeclared class.
  init(
    _ store: ObjectStore,
    _ className: String,
    _ danglingLinks: DanglingLinks = .asNull,
    _ evaluate: @escaping (StoredRow) -> Result
  ) throws {
    reader = StoredRowReader(store, danglingLinks)
    table = try store.requireTable(className)
    self.evaluate = evaluate
  }

  var connection: Connection { reader.store.database.connection }

  /// Returns the function's result for the object in a row.
  func result(for row: Int64) throws -> Result {
    let result = evaluate(reader.row(row, in: table))
    try reader.checkFailure()
    return result
  }
}

extension Statement {
  /// Binds the parameters of a compiled query, starting with the first.
  package func bind(_ bindings: [SQLBinding], _ store: ObjectStore) throws {
    for (index, binding) in bindings.enumerated() {
      let parameter = Int32(clamping: index + 1)
      switch binding {
      case .value(let value): bind(value, at: parameter)
      case .predicate(let predicate, let className, let danglingLinks):
        let compiled = CompiledPredicate(predicate)
        bind(
          try RowFunctionArgument(store, className, danglingLinks) { .bool(compiled.matches($0)) },
          RowFunctionArgument.pointerType,
          at: parameter
        )
      case .parts(let parts): bind(TextPartsArgument(parts), TextPartsArgument.pointerType, at: parameter)
      case .path(let path, let className):
        bind(
          try RowFunctionArgument(store, className) { .bytes(SortKeyCoding.key(of: path, in: $0)) },
          RowFunctionArgument.pointerType,
          at: parameter
        )
      }
    }
  }

  /// Binds an argument object for a function. The statement keeps it alive.
  private func bind(_ argument: AnyObject, _ type: StaticString, at parameter: Int32) {
    let pointer = Unmanaged.passRetained(argument).toOpaque()
    sqlite3_bind_pointer(handle, parameter, pointer, type.cString) {
      Unmanaged<AnyObject>.fromOpaque($0!).release()
    }
  }
}

extension Connection {
  /// Registers the functions that compiled queries use to evaluate entire objects.
  func registerRowFunctions() throws {
    for function in SQLRowFunction.allCases {
      let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
      try check(
        sqlite3_create_function_v2(handle, function.name, 2, flags, nil, callRowFunction, nil, nil, nil)
      )
    }
  }
}

private func callRowFunction(
  _ call: OpaquePointer?,
  _ count: Int32,
  _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard count == 2, let arguments,
    let pointer = sqlite3_value_pointer(arguments[0], RowFunctionArgument.pointerType.cString)
  else { return sqlite3_result_error(call, "The argument is not a condition", -1) }
  let argument = Unmanaged<RowFunctionArgument>.fromOpaque(pointer).takeUnretainedValue()
  do {
    switch try argument.result(for: sqlite3_value_int64(arguments[1])) {
    case .bool(let bool): sqlite3_result_int(call, bool ? 1 : 0)
    case .bytes(let bytes):
      sqlite3_result_blob64(call, bytes, UInt64(bytes.count), sqliteTransient)
    }
  } catch {
    // The statement then fails with this error instead of SQLite's.
    argument.connection.functionFailure = error
    sqlite3_result_error(call, "\(error)", -1)
  }
}

extension StaticString {
  /// The text as a C string that is valid for the lifetime of the program.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
