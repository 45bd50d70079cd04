// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The parameters of a statement, without a reference to it that would be counted for each value. The statement must
/// outlive its binder.
struct Binder: BitwiseCopyable {
  let handle: OpaquePointer
  /// Keeps the bytes that are bound until the statement has run. Without it SQLite makes a copy of each text and blob,
  /// which costs an allocation.
  var arena: UnsafeMutablePointer<BindingArena>?

  @inline(__always)
  func bindNull(at parameter: Int32) { sqlite3_bind_null(handle, parameter) }

  @inline(__always)
  func bind(_ value: Int64, at parameter: Int32) { sqlite3_bind_int64(handle, parameter, value) }

  @inline(__always)
  func bind(_ value: Double, at parameter: Int32) { sqlite3_bind_double(handle, parameter, value) }

  @inline(__always)
  func bind(_ text: String, at parameter: Int32) {
    var text = text
    text.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: parameter) }
  }

  /// Binds bytes as text, whether or not they are UTF-8.
  @inline(__always)
  func bindText(_ bytes: UnsafeRawBufferPointer, at parameter: Int32) {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      sqlite3_bind_text(handle, parameter, "", 0, sqliteTransient)
      return
    }
    let kept = arena?.pointee.keep(bytes)
    sqlite3_bind_text(
      handle,
      parameter,
      (kept ?? base).assumingMemoryBound(to: CChar.self),
      Int32(clamping: bytes.count),
      kept == nil ? sqliteTransient : nil
    )
  }

  @inline(__always)
  func bindBlob(_ bytes: UnsafeRawBufferPointer, at parameter: Int32) {
    guard let base = bytes.baseAddress, bytes.count > 0 else {
      // A null pointer would bind null instead of an empty blob.
      sqlite3_bind_zeroblob(handle, parameter, 0)
      return
    }
    let kept = arena?.pointee.keep(bytes)
    sqlite3_bind_blob(
      handle,
      parameter,
      kept ?? base,
      Int32(clamping: bytes.count),
      kept == nil ? sqliteTransient : nil
    )
  }
}

/// Memory for the texts and blobs of one run of a statement.
struct BindingArena: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private var usedByteCount = 0

  init(byteCount: Int) { memory = .allocate(byteCount: byteCount, alignment: 1) }

  deinit { memory.deallocate() }

  /// Copies bytes. Returns nil if there is no room left.
  @inline(__always)
  mutating func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard bytes.count <= memory.count - usedByteCount, let base = bytes.baseAddress else { return nil }
    let place = memory.baseAddress.unsafelyUnwrapped + usedByteCount
    place.copyMemory(from: base, byteCount: bytes.count)
    usedByteCount += bytes.count
    return UnsafeRawPointer(place)
  }

  /// Forgets everything, for the next run.
  @inline(__always)
  mutating func removeAll() { usedByteCount = 0 }
}
