// SPDX-License-Identifier: Apache-2.0

extension ServerStore {
  /// Calls `body` with the entries of a file's stream after a version and through another one, in ascending order.
  ///
  /// The entries are read in pieces, so a long stream takes no more memory, and `body` may change entries it has been
  /// given.
  ///
  /// - Parameter pieceByteCount: The approximate size of a piece.
  /// - Throws: `StorageError`, or the error that `body` throws.
  public func forEachStreamEntry(
    file: UInt64,
    after version: UInt64,
    through end: UInt64,
    pieceByteCount: Int = 1 << 20,
    _ body: (StreamEntry) throws -> Void
  ) throws {
    var last = version
    while case let entries = try streamEntries(
      file: file,
      after: last,
      through: end,
      maximumByteCount: pieceByteCount
    ), let newest = entries.last {
      for entry in entries { try body(entry) }
      last = newest.version
    }
  }
}
