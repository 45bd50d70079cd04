// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncModel
import FlexSyncQuery

/// The first argument of a function that looks at a whole object (`SQLRowFunction`): what it does, and where the
/// objects are. SQLite keeps it alive for as long as it is bound.
final class RowFunctionArgument {
  /// What tells the argument from pointers of others.
  static let pointerType: StaticString = "flx_row_function"

  enum Result {
    case bool(Bool)
    case bytes([UInt8])
  }

  private let reader: StoredRowReader
  private let table: ClassTable
  private let evaluate: (StoredRow) -> Result

  /// - Throws: `ObjectError` for an unknown class.
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

  /// The function's result for the object in a row.
  func result(for row: Int64) throws -> Result {
    let result = evaluate(reader.row(row, in: table))
    try reader.checkFailure()
    return result
  }
}

extension Statement {
  /// Binds the parameters of a compiled query, from the first on.
  package func bind(_ bindings: [SQLBinding], _ store: ObjectStore) throws {
    for (index, binding) in bindings.enumerated() {
      let parameter = Int32(clamping: index + 1)
      switch binding {
      case .value(let value): bind(value, at: parameter)
      case .predicate(let predicate, let className, let danglingLinks):
        let compiled = CompiledPredicate(predicate)
        bind(
          try RowFunctionArgument(store, className, danglingLinks) { .bool(compiled.matches($0)) },
          at: parameter
        )
      case .parts(let parts): bind(TextPartsArgument(parts), at: parameter)
      case .path(let path, let className):
        bind(
          try RowFunctionArgument(store, className) { .bytes(SortKeyCoding.key(of: path, in: $0)) },
          at: parameter
        )
      }
    }
  }

  /// Binds parts that a function takes; the statement keeps them.
  private func bind(_ argument: TextPartsArgument, at parameter: Int32) {
    sqlite3_bind_pointer(
      handle,
      parameter,
      Unmanaged.passRetained(argument).toOpaque(),
      TextPartsArgument.pointerType.cString
    ) { Unmanaged<TextPartsArgument>.fromOpaque($0!).release() }
  }

  /// Binds an object that a function takes; the statement keeps it.
  private func bind(_ argument: RowFunctionArgument, at parameter: Int32) {
    sqlite3_bind_pointer(
      handle,
      parameter,
      Unmanaged.passRetained(argument).toOpaque(),
      RowFunctionArgument.pointerType.cString
    ) { Unmanaged<RowFunctionArgument>.fromOpaque($0!).release() }
  }
}

extension Connection {
  /// Makes the functions known by which compiled queries look at whole objects.
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
  else { return sqlite3_result_error(call, "The argument is no condition", -1) }
  let argument = Unmanaged<RowFunctionArgument>.fromOpaque(pointer).takeUnretainedValue()
  do {
    switch try argument.result(for: sqlite3_value_int64(arguments[1])) {
    case .bool(let bool): sqlite3_result_int(call, bool ? 1 : 0)
    case .bytes(let bytes):
      sqlite3_result_blob64(call, bytes, UInt64(bytes.count), sqliteTransient)
    }
  } catch {
    // The statement fails with this error instead of SQLite's.
    argument.connection.functionFailure = error
    sqlite3_result_error(call, "\(error)", -1)
  }
}

extension StaticString {
  /// The text for C, there for as long as the program.
  var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
