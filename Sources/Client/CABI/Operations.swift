// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A class with operations that take a while and complete on the loop of an app.
protocol LoopTarget: HandleTarget, Sendable {
  var app: App { get }
}

extension App: LoopTarget { var app: App { self } }
extension User: LoopTarget {}
extension SyncSession: LoopTarget { var app: App { user.app } }

extension LoopTarget {
  /// Starts an operation for a C function. Its outcome is reported on the loop, even if it cannot start.
  ///
  /// - Parameter operation: starts the operation, which calls the function that it is given.
  static func start<Value>(
    _ handle: OpaquePointer,
    _ completion: Completion<Value>,
    function: StaticString = #function,
    _ operation: (Self, @escaping Completion<Value>.Report) throws -> Void
  ) {
    if completion.refusesChild() { return }
    let target = Handle.object(handle, as: Self.self, function: function)
    do {
      try operation(target, completion.report)
    } catch {
      let failure = CoreError(mapping: error)
      target.app.post { completion.report(.failure(failure)) }
    }
  }

  /// Performs an operation for a C function, waits for it and returns its outcome.
  ///
  /// - Parameter operation: starts the operation, which calls the function that it is given.
  static func block<Value: Sendable>(
    _ handle: OpaquePointer,
    function: StaticString = #function,
    _ operation: (Self, @escaping Completion<Value>.Report) throws -> Void
  ) throws -> Value {
    let target = Handle.object(handle, as: Self.self, function: function)
    return try target.app.runtime.blocking { try operation(target, $0.deliver) }.get()
  }

  /// `block` for a C function that returns nothing but a status.
  static func block(
    _ handle: OpaquePointer,
    _ error: ErrorOut,
    function: StaticString = #function,
    _ operation: (Self, @escaping Completion<Void>.Report) throws -> Void
  ) -> flx_status_t {
    withStatus(error, function: function) { try block(handle, function: function, operation) }
  }
}
