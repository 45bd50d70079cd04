// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

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
        "\(name()) is NULL, but its size is \(UInt(bitPattern: size))."
      )
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CoreError(.invalidArgument, "\(name()) is not valid UTF-8.")
    }
    return text
  }
}
