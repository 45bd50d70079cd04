// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension flx_string_t {
  /// The bytes that C passed, valid for as long as the C function's argument is.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : max(size, 0))
  }

  /// The text that C passed.
  /// - Parameter name: the name of the text in error messages.
  /// - Throws: `CoreError` INVALID_ARGUMENT if it is not UTF-8, or if it is NULL and its size is not 0.
  func text(_ name: @autoclosure () -> String) throws -> String {
    // C sizes are unsigned: one that exceeds any memory is negative here.
    guard data != nil || size == 0, size >= 0 else {
      throw CoreError(
        .invalidArgument,
        "\(name()) is NULL, but its size is \(UInt(bitPattern: size))"
      )
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CoreError(.invalidArgument, "\(name()) is not valid UTF-8")
    }
    return text
  }
}

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

extension String {
  /// Lends the text to C for the duration of `body`.
  func withCText<Result>(_ body: (flx_string_t) throws -> Result) rethrows -> Result {
    var copy = self
    return try copy.withUTF8 { utf8 in
      try utf8.withMemoryRebound(to: CChar.self) {
        try body(flx_string_t(data: $0.baseAddress, size: $0.count))
      }
    }
  }

  /// Returns a zero-terminated copy that C frees with `flx_free`.
  func copiedForC() -> UnsafeMutablePointer<CChar>? { withCString { strdup($0) } }
}
