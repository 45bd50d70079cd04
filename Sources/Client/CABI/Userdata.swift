// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The `userdata` of a callback, freed once the callback can no longer be called.
final class Userdata: @unchecked Sendable {
  /// The pointer that the program passed. The program is responsible for its use on the callback's thread.
  let pointer: UnsafeMutableRawPointer?
  private let free: flx_free_userdata_t?

  init(_ pointer: UnsafeMutableRawPointer?, _ free: flx_free_userdata_t?) {
    self.pointer = pointer
    self.free = free
  }

  deinit { free?(pointer) }
}
