// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Arrays that C callers pass as address and count.
enum CArray {
  /// A view of an array, valid for as long as the C function's argument is.
  ///
  /// - Parameter what: the elements as messages call them.
  /// - Throws: `CoreError` INVALID_ARGUMENT for elements at NULL, or more of them than there can be.
  static func view<Element>(
    _ pointer: UnsafePointer<Element>?,
    count: Int,
    _ what: @autoclosure () -> String
  ) throws -> UnsafeBufferPointer<Element> {
    // What does not fit is negative here: C counts without sign.
    guard count >= 0, count <= Int.max / MemoryLayout<Element>.stride else {
      throw CoreError.invalidArgument("The count of \(what()) is impossible: \(UInt(bitPattern: count)).")
    }
    // The header promises some of the addresses, and the compiler then takes a comparison with nil for granted: the bits
    // say what C has passed.
    let address = UInt(bitPattern: pointer)
    guard address != 0 || count == 0 else {
      throw CoreError.invalidArgument("There are \(count) \(what()), but their address is NULL.")
    }
    return UnsafeBufferPointer(start: UnsafePointer(bitPattern: address), count: count)
  }
}
