// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Keeps a Swift closure alive as the `userdata` of a C callback until the library frees it.
final class CallbackBox<Callback> {
  let callback: Callback

  init(_ callback: Callback) { self.callback = callback }

  /// Returns the pointer to pass as `userdata`, together with `freeCallbackBox`.
  static func retained(_ callback: Callback) -> UnsafeMutableRawPointer {
    Unmanaged<AnyObject>.passRetained(CallbackBox(callback)).toOpaque()
  }

  static func callback(in userdata: UnsafeMutableRawPointer?) -> Callback {
    guard let userdata else { fatalError("a callback was called without its userdata") }
    let box = Unmanaged<AnyObject>.fromOpaque(userdata).takeUnretainedValue()
    return unsafeDowncast(box, to: CallbackBox<Callback>.self).callback
  }
}

/// Frees a box made by `CallbackBox.retained`.
let freeCallbackBox: flx_free_userdata_t = { userdata in
  if let userdata { Unmanaged<AnyObject>.fromOpaque(userdata).release() }
}

/// A Swift closure for a completion of the C interface.
typealias Completion = @Sendable (StatusError?) -> Void

/// The C callback for a boxed `Completion`.
let callCompletion: flx_completion_t = { userdata, error in
  CallbackBox<Completion>.callback(in: userdata)(error.map { StatusError($0.pointee) })
}

/// Starts an operation of the C interface and waits for its completion.
func awaitCompletion(
  isolation: isolated (any Actor)?,
  _ start: (UnsafeMutableRawPointer) -> Void
) async throws {
  let failure: StatusError? = await withCheckedContinuation(isolation: isolation) { continuation in
    let completion: Completion = { continuation.resume(returning: $0) }
    start(CallbackBox<Completion>.retained(completion))
  }
  if let failure { throw failure.publicError }
}

/// Starts an operation of the C interface that yields no value; `completion` is called on a background thread.
func startOperation(
  _ completion: @escaping @Sendable ((any Error)?) -> Void,
  _ start: (UnsafeMutableRawPointer) -> Void
) {
  let receive: Completion = { completion($0?.publicError) }
  start(CallbackBox<Completion>.retained(receive))
}

/// Waits for the result of an operation that takes a completion.
func awaitResult<Value: Sendable>(
  isolation: isolated (any Actor)? = #isolation,
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let result = await withCheckedContinuation(isolation: isolation) {
    (continuation: CheckedContinuation<Result<Value, any Error>, Never>) in
    start { continuation.resume(returning: $0) }
  }
  return try result.get()
}
