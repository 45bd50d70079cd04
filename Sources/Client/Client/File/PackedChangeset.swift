// SPDX-License-Identifier: Apache-2.0

import CZstd
import FlexSyncChangeset
import FlexSyncStore

/// The form in which the file stores a changeset: a long one is compressed, as a frame of Zstandard (RFC 8878).
///
/// The file needs no flag for that. A frame begins with the byte 0x28, and a changeset with the code of an instruction,
/// which is never that (protocol §6.5).
enum PackedChangeset {
  /// A shorter changeset is stored as it is, because compressing it takes longer than writing it.
  private static let shortestCompressed = 1024
  /// Favours speed: level 1 takes a third longer and saves 3 % more, since changesets mostly repeat names and keys.
  private static let level: Int32 = -1
  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// Returns the compressed form, or nil if the bytes are to be stored as they are.
  static func compressed(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard bytes.count >= shortestCompressed else { return nil }
    let packed = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
      let size = ZSTD_compress(buffer.baseAddress, buffer.count, bytes.baseAddress, bytes.count, level)
      count = ZSTD_isError(size) == 0 ? size : 0
    }
    return packed.isEmpty || packed.count >= bytes.count ? nil : packed
  }

  /// Returns the original of stored bytes.
  ///
  /// - Throws: `StorageError` of kind `corrupt`.
  static func original(_ stored: UnsafeRawBufferPointer) throws -> [UInt8] {
    guard stored.starts(with: magic) else { return [UInt8](stored) }
    let size = ZSTD_getFrameContentSize(stored.baseAddress, stored.count)
    guard size <= UInt64(Changeset.longestByteCount) else { throw damaged }
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      let found = ZSTD_decompress(buffer.baseAddress, buffer.count, stored.baseAddress, stored.count)
      count = ZSTD_isError(found) == 0 ? found : 0
    }
    guard bytes.count == Int(size) else { throw damaged }
    return bytes
  }

  private static var damaged: StorageError {
    StorageError(kind: .corrupt, message: "A stored changeset is damaged: it cannot be decompressed.")
  }
}

extension Statement {
  /// Returns the original of a blob that may be compressed.
  ///
  /// - Throws: `StorageError` of kind `corrupt`.
  func unpacked(_ column: Int32) throws -> [UInt8] { try PackedChangeset.original(blobBytes(column)) }
}
