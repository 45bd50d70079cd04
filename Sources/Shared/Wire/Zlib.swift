// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Compresses bodies as one zlib stream each, without a dictionary (protocol §2.2).
enum Zlib {
  /// The approximate maximum compression ratio of deflate. A peer that announces more is lying.
  private static let greatestRatio = 1040

  /// Returns the bytes compressed at level 1, or nil if that does not make them smaller.
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

  /// Inflates `bytes` to exactly `size` bytes.
  ///
  /// - Parameter size: The announced size. The caller must have checked it against its limit.
  /// - Throws: Error 110 unless `bytes` are exactly one stream that inflates to exactly this size.
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
