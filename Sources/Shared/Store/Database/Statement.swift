// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// SQLite's constant for "copy the bytes before the call returns", a cast macro in C that Swift cannot import.
nonisolated(unsafe) let sqliteTransient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A prepared statement. Parameters are numbered from 1, result columns from 0, as in SQLite.
///
/// Confined to the thread of its database, except that it may be released on any thread. A statement is reset after
/// it has run to completion, by `run` or by `reset`. A statement left before its end keeps its transaction's snapshot
/// alive.
public final class Statement {
  let handle: OpaquePointer
  let connection: Connection

  /// The length in bytes of the longest text whose equal constants SQLite may look for. That takes the square of their
  /// number: seconds for the thousands in a long list of conditions.
  private static let greatestLengthWithSharedConstants = 4096

  init(connection: Connection, sql: String) throws {
    connection.retiredStatements.finalizeAll()
    self.connection = connection
    var sql = sql
    var prepared: OpaquePointer?
    let isLong = sql.utf8.count > Statement.greatestLengthWithSharedConstants
    if isLong { flx_sqlite_share_constants(connection.handle, 0) }
    defer { if isLong { flx_sqlite_share_constants(connection.handle, 1) } }
    let resultCode = sql.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_prepare_v3(
          connection.handle,
          $0.baseAddress,
          Int32(clamping: $0.count),
          UInt32(SQLITE_PREPARE_PERSISTENT),
          &prepared,
          nil
        )
      }
    }
    guard resultCode == SQLITE_OK else { throw connection.error(resultCode, sql: sql) }
    guard let prepared else { throw StorageError.misuse("An empty SQL statement cannot be prepared.") }
    handle = prepared
  }

  deinit { connection.retiredStatements.add(handle) }

  // MARK: Running

  /// Advances to the next row. Returns false if there is none.
  @inline(__always)
  public func step() throws -> Bool {
    let resultCode = sqlite3_step(handle)
    if resultCode == SQLITE_ROW { return true }
    if resultCode == SQLITE_DONE { return false }
    throw failed(resultCode)
  }

  /// Runs a statement whose rows do not matter, and resets it.
  @inline(__always)
  public func run() throws {
    while try step() {}
    sqlite3_reset(handle)
  }

  /// Makes the statement ready to run again. The bindings are kept.
  @inline(__always)
  public func reset() { sqlite3_reset(handle) }

  /// The number of the last parameter.
  package var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

  /// Clears the bound values, which may be large.
  public func clearBindings() { sqlite3_clear_bindings(handle) }

  @inline(never)
  private func failed(_ resultCode: Int32) -> any Error {
    let error = connection.functionFailure ?? connection.error(resultCode)
    connection.functionFailure = nil
    sqlite3_reset(handle)
    return error
  }

  // MARK: Binding

  /// Binds an integer.
  @inline(__always)
  public func bind(_ value: Int64, at parameter: Int32) { sqlite3_bind_int64(handle, parameter, value) }

  /// Binds the bits of an unsigned integer. Read it back with `unsigned`.
  @inline(__always)
  public func bind(_ value: UInt64, at parameter: Int32) {
    sqlite3_bind_int64(handle, parameter, Int64(bitPattern: value))
  }

  /// Binds a floating-point number.
  @inline(__always)
  public func bind(_ value: Double, at parameter: Int32) { sqlite3_bind_double(handle, parameter, value) }

  /// Binds null.
  @inline(__always)
  public func bindNull(at parameter: Int32) { sqlite3_bind_null(handle, parameter) }

  /// Binds text.
  @inline(__always)
  public func bind(_ text: String, at parameter: Int32) {
    binder.bind(text, at: parameter)
  }

  /// Binds text, or null.
  public func bind(_ text: String?, at parameter: Int32) {
    if let text { bind(text, at: parameter) } else { bindNull(at: parameter) }
  }

  /// Binds a blob.
  @inline(__always)
  public func bind(_ bytes: [UInt8], at parameter: Int32) {
    bytes.withUnsafeBytes { bindBlob($0, at: parameter) }
  }

  /// Binds a blob, or null.
  public func bind(_ bytes: [UInt8]?, at parameter: Int32) {
    if let bytes { bind(bytes, at: parameter) } else { bindNull(at: parameter) }
  }

  @inline(__always)
  package func bindBlob(_ bytes: UnsafeRawBufferPointer, at parameter: Int32) {
    binder.bindBlob(bytes, at: parameter)
  }

  /// The parameters. SQLite copies the texts and blobs that it binds.
  @inline(__always)
  var binder: Binder { Binder(handle: handle) }

  // MARK: Reading the current row

  /// The number of result columns.
  public var columnCount: Int32 { sqlite3_column_count(handle) }

  /// Whether the column is null.
  @inline(__always)
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Whether the column holds a blob.
  @inline(__always)
  func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }

  /// The types of values in SQLite.
  enum StorageClass {
    case null, integer, real, text, blob
  }

  /// Returns the type of the column's value.
  @inline(__always)
  func storageClass(_ column: Int32) -> StorageClass {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Returns the column as an integer.
  @inline(__always)
  public func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Returns the column as an unsigned integer. It must have been bound as one.
  @inline(__always)
  public func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(handle, column)) }

  /// Returns the column as a floating-point number.
  @inline(__always)
  public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns the column as text. Invalid UTF-8 is repaired.
  @inline(__always)
  public func text(_ column: Int32) -> String { String(decoding: textBytes(column), as: UTF8.self) }

  /// Returns the column as text, or nil if it is null.
  public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// Returns the bytes of a text, valid until the next step or reset.
  @inline(__always)
  public func textBytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let base = sqlite3_column_text(handle, column)
    return UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Returns the bytes of a blob, valid until the next step or reset.
  @inline(__always)
  public func blobBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Returns a copy of a blob.
  public func blob(_ column: Int32) -> [UInt8] { [UInt8](blobBytes(column)) }
}
