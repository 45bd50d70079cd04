// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The `userdata` of a callback. Freed, once, when nobody can call the callback any more.
final class Userdata: @unchecked Sendable {
  /// What the program passed; the program answers for its use on the callback's thread.
  let pointer: UnsafeMutableRawPointer?
  private let free: flx_free_userdata_t?

  init(_ pointer: UnsafeMutableRawPointer?, free: flx_free_userdata_t?) {
    self.pointer = pointer
    self.free = free
  }

  deinit { free?(pointer) }
}
