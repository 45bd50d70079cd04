// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A `flx_completion_t` with its userdata, called on the loop.
final class Completion: Sendable {
  private let callback: flx_completion_t
  private let userdata: Userdata

  init(
    _ callback: flx_completion_t,
    _ userdata: UnsafeMutableRawPointer?,
    _ free: flx_free_userdata_t?,
    function: StaticString = #function
  ) {
    Needed.insist(Needed(callback: callback, "completion"), function: function)
    self.callback = callback
    self.userdata = Userdata(userdata, free: free)
  }

  /// Reports the outcome to the program.
  @Sendable func call(_ result: Result<Void, CoreError>) {
    switch result {
    case .success: callback(userdata.pointer, nil)
    case .failure(let error): error.withCError { callback(userdata.pointer, $0) }
    }
  }

  /// Whether this is the child of a fork. If so, the program has been notified through the callback.
  func refusesChild() -> Bool { ForkGuard.refuses { call(.failure($0)) } }

  /// Starts an operation that completes on the loop by itself. If it cannot start, the error is reported on the loop.
  func start(on app: App, _ operation: () throws -> Void) {
    do {
      try operation()
    } catch {
      let failure = CoreError(mapping: error)
      app.post { self.call(.failure(failure)) }
    }
  }
}
