// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension UserHandle {
  /// Calls a function of the app, or of a service. `completion` receives its result as Extended JSON.
  func call(
    _ name: String,
    _ arguments: String,
    service: String?,
    _ completion: @escaping FunctionCompletion
  ) {
    let box = CallbackBox<FunctionCompletion>.retained(completion)
    let arena = TextArena()
    let (name, arguments, service) = (arena.text(name), arena.text(arguments), arena.text(service ?? ""))
    withExtendedLifetime(arena) {
      flx_user_call_function(pointer, name, arguments, service, callFunction, box, freeCallbackBox)
    }
  }

  /// Watches a collection until the token is invalidated.
  func watch(
    _ arguments: String,
    service: String,
    _ report: @escaping @Sendable (WatchEvent) -> Void
  ) -> NotificationToken {
    let arena = TextArena()
    let (arguments, service) = (arena.text(arguments), arena.text(service))
    return withExtendedLifetime(arena) {
      NotificationToken.make { box, token, error in
        flx_user_watch(pointer, arguments, service, callWatch, box, freeCallbackBox, token, error)
      } callback: { (event: WatchEvent) in
        report(event)
      }
    }
  }

  /// - Parameter token: empty ends the registration.
  func startRegistering(_ service: String, _ token: String, _ box: UnsafeMutableRawPointer) {
    let arena = TextArena()
    let (service, token) = (arena.text(service), arena.text(token))
    withExtendedLifetime(arena) {
      flx_user_register_push(pointer, service, token, callCompletion, box, freeCallbackBox)
    }
  }
}

/// A Swift closure that receives the result of a function.
typealias FunctionCompletion = @Sendable (Result<String, any Error>) -> Void

/// An event of a stream of changes.
enum WatchEvent: Sendable {
  case opened
  /// A change event as Extended JSON.
  case changed(String)
  case failed(any Error)
  case closed((any Error)?)
}

private let callFunction: flx_function_completion_t = { userdata, result, error in
  CallbackBox<FunctionCompletion>.callback(in: userdata)(
    error.map { .failure(StatusError($0.pointee).publicError) } ?? .success(String(result))
  )
}

private let callWatch: flx_watch_callback_t = { userdata, event, change, error in
  let failure = error.map { StatusError($0.pointee).publicError }
  let report = CallbackBox<(WatchEvent) -> Void>.callback(in: userdata)
  switch event {
  case .FLX_WATCH_OPENED: report(.opened)
  case .FLX_WATCH_CHANGED: report(.changed(String(change)))
  case .FLX_WATCH_CLOSED: report(.closed(failure))
  default: if let failure { report(.failed(failure)) }
  }
}
