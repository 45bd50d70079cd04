// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Arrays that C callers pass as an address and a count.
enum CArray {
  /// Returns a view of an array, valid for as long as the C function's argument is.
  ///
  /// - Parameter what: the name of the elements in error messages.
  /// - Throws: `CoreError` INVALID_ARGUMENT if the address is NULL and the count is not 0, or if the count is
  ///   impossible.
  static func view<Element>(
    _ pointer: UnsafePointer<Element>?,
    count: Int,
    _ what: @autoclosure () -> String
  ) throws -> UnsafeBufferPointer<Element> {
    // C counts are unsigned: one that does not fit is negative here.
    guard count >= 0, count <= Int.max / MemoryLayout<Element>.stride else {
      throw CoreError.invalidArgument("The number of \(what()) is out of range: \(UInt(bitPattern: count)).")
    }
    // The header declares some of these addresses nonnull, and the compiler then optimizes away a comparison with
    // nil: only the bits say what C has passed.
    let address = UInt(bitPattern: pointer)
    guard address != 0 || count == 0 else {
      throw CoreError.invalidArgument("The address of the \(what()) is NULL, but their count is \(count).")
    }
    return UnsafeBufferPointer(start: UnsafePointer(bitPattern: address), count: count)
  }
}

extension Array {
  /// Returns the element that a C caller asks for.
  ///
  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS.
  func element(at index: Int) throws -> Element {
    guard indices.contains(index) else { throw CoreError.indexOutOfBounds(index, count: count) }
    return self[index]
  }
}

/// `SIZE_MAX` in C, for the index of an element that is not there.
let notFound = -1
