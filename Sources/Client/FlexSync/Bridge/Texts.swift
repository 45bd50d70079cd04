// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension String {
  /// Lends the text to C for the duration of `body`.
  func withFlexString<Result>(_ body: (flx_string_t) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { bytes in
      try bytes.withMemoryRebound(to: CChar.self) {
        try body(flx_string_t(data: $0.baseAddress, size: $0.count))
      }
    }
  }

  init(_ text: flx_string_t) {
    self.init(decoding: UnsafeRawBufferPointer(start: text.data, count: text.size), as: UTF8.self)
  }

  /// Takes ownership of text returned by a `_copy` function; nil for a null pointer.
  init?(takingOver text: UnsafeMutablePointer<CChar>?) {
    guard let text else { return nil }
    self.init(cString: text)
    flx_free(text)
  }
}

extension Optional where Wrapped == String {
  /// Lends the text to C, with a null pointer for nil.
  func withFlexString<Result>(_ body: (UnsafePointer<flx_string_t>?) throws -> Result) rethrows -> Result {
    guard let self else { return try body(nil) }
    return try self.withFlexString { text in try withUnsafePointer(to: text) { try body($0) } }
  }
}

extension [String] {
  /// Lends the texts to C for the duration of `body`.
  func withFlexStrings<Result>(_ body: (UnsafePointer<flx_string_t>?, Int) throws -> Result) rethrows
    -> Result
  {
    let arena = TextArena()
    let texts = map { arena.text($0) }
    return try withExtendedLifetime(arena) {
      try texts.withUnsafeBufferPointer { try body($0.baseAddress, $0.count) }
    }
  }
}

extension Array {
  /// Copies an array that C lends.
  init(start: UnsafePointer<Element>?, count: Int) {
    self.init(UnsafeBufferPointer(start: start, count: count))
  }
}
