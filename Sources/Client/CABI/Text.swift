// SPDX-License-Identifier: Apache-2.0

import CFlexSync

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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

  /// Copies the text and a terminating zero to memory of the program.
  func copy(to memory: UnsafeMutablePointer<CChar>) {
    withCString { memory.update(from: $0, count: utf8.count + 1) }
  }
}

extension StaticString {
  /// The text with its terminating zero, in memory that is never freed.
  var characters: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
