// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Memory for text and bytes that C callers borrow; all of it is freed at once.
struct TextArena: ~Copyable {
  private static let chunkSize = 4096

  private var chunks: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var remaining = 0

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Copies bytes to memory that stays valid until `removeAll`.
  mutating func copy(_ bytes: UnsafeRawBufferPointer) -> flx_string_t {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return flx_string_t(data: nil, size: 0) }
    let place = reserve(bytes.count)
    memcpy(place, source, bytes.count)
    return flx_string_t(data: place.assumingMemoryBound(to: CChar.self), size: bytes.count)
  }

  /// Copies a text to memory that stays valid until `removeAll`.
  mutating func keep(_ text: String) -> flx_string_t {
    var text = text
    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }

  /// Frees all memory.
  mutating func removeAll() {
    for chunk in chunks { chunk.deallocate() }
    chunks = []
    next = nil
    remaining = 0
  }

  private mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if let place = next, count <= remaining {
      next = place + count
      remaining -= count
      return place
    }
    let size = max(count, Self.chunkSize)
    let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
    chunks.append(chunk)
    if size - count > remaining {
      next = chunk + count
      remaining = size - count
    }
    return chunk
  }
}
