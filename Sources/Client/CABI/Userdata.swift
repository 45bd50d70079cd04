// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The `userdata` of a callback, freed once the callback can no longer be called.
final class Userdata: @unchecked Sendable {
  /// The pointer that the program passed. The program is responsible for its use on the callback's thread.
  let pointer: UnsafeMutableRawPointer?
  private let free: flx_free_userdata_t?
  /// What the calls of an observer go through; nil for other callbacks.
  private let gate: CallbackGate?

  init(_ pointer: UnsafeMutableRawPointer?, _ free: flx_free_userdata_t?, gate: CallbackGate? = nil) {
    self.pointer = pointer
    self.free = free
    self.gate = gate
  }

  deinit { free?(pointer) }

  /// Calls a callback, unless it is that of an observation that has ended.
  func lend(_ call: (UnsafeMutableRawPointer?) -> Void) {
    guard let gate else { return call(pointer) }
    gate.pass { call(pointer) }
  }
}
