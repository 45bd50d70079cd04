// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Compression of bodies: one zlib stream each, no dictionary (protocol §2.2).
enum Zlib {
  /// What deflate can gain at most, roughly; a peer that announces more is lying.
  private static let greatestRatio = 1040

  /// The compressed bytes at level 1, or nil if they are not smaller.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var size = uLongf(bytes.count - 1)
    var isSmaller = false
    let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      isSmaller = compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), Z_BEST_SPEED) == Z_OK
      count = isSmaller ? Int(size) : 0
    }
    return isSmaller ? compressed : nil
  }

  /// The `size` bytes that `bytes` inflate to.
  ///
  /// - Parameter size: the announced size; the caller has checked it against its limit.
  /// - Throws: error 110 unless `bytes` are exactly one stream that inflates to exactly that size.
  static func inflate(_ bytes: ArraySlice<UInt8>, size: Int) throws(ProtocolError) -> [UInt8] {
    guard size / greatestRatio <= bytes.count else {
      throw ProtocolError(.badDecompression, "\(bytes.count) compressed bytes cannot inflate to \(size)")
    }
    var inflatedSize = uLongf(size)
    var consumed = uLong(bytes.count)
    var status = Z_OK
    let inflated = [UInt8](unsafeUninitializedCapacity: max(size, 1)) { output, count in
      status = bytes.withUnsafeBufferPointer { input in
        uncompress2(output.baseAddress, &inflatedSize, input.baseAddress, &consumed)
      }
      count = status == Z_OK ? Int(inflatedSize) : 0
    }
    guard status == Z_OK, inflated.count == size, consumed == bytes.count else {
      throw ProtocolError(
        .badDecompression,
        "the body is not one zlib stream of \(bytes.count) bytes that inflates to \(size)"
      )
    }
    return inflated
  }
}
