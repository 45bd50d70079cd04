// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Memory for text and bytes that C callers borrow; all of it is freed at once.
struct TextArena: ~Copyable {
  private static let smallestChunk = 4096
  private static let largestChunk = 65536

  /// Each is twice as large as the one before, up to `largestChunk`.
  private var chunks: [UnsafeMutableRawBufferPointer] = []
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

  /// Frees the memory, but keeps some of it for what is copied next.
  mutating func removeAll() {
    guard let last = chunks.popLast() else { return }
    for chunk in chunks { chunk.deallocate() }
    chunks = []
    next = nil
    remaining = 0
    guard last.count <= Self.largestChunk else { return last.deallocate() }
    chunks.append(last)
    next = last.baseAddress
    remaining = last.count
  }

  private mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if let place = next, count <= remaining {
      next = place + count
      remaining -= count
      return place
    }
    let size = max(count, min(Self.smallestChunk << min(chunks.count, 4), Self.largestChunk))
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    chunks.append(chunk)
    let place = chunk.baseAddress.unsafelyUnwrapped
    if size - count > remaining {
      next = place + count
      remaining = size - count
    }
    return place
  }
}
