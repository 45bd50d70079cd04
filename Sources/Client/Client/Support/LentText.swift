// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import Synchronization

/// Text at a fixed address, lent to C for as long as this object lives. Immutable.
final class LentText: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<CChar>

  init(_ text: String) {
    let utf8 = text.utf8
    buffer = .allocate(capacity: utf8.count + 1)
    _ = buffer.initialize(fromContentsOf: utf8.lazy.map { CChar(bitPattern: $0) })
    buffer[utf8.count] = 0
  }

  deinit { buffer.deallocate() }

  /// Returns text in memory that is never freed: for the few words of a fixed vocabulary.
  static func lasting(_ text: String) -> flx_string_t {
    vocabulary.withLock { vocabulary in
      if let known = vocabulary[text] { return known.string }
      let new = LentText(text)
      vocabulary[text] = new
      return new.string
    }
  }

  private static let vocabulary = Mutex<[String: LentText]>([:])

  /// The text without its terminating zero.
  var string: flx_string_t { flx_string_t(data: buffer.baseAddress, size: buffer.count - 1) }
}
